// A streaming tool loop as one writes it with the TypeScript SDK. Prints what Claude says in the end.
import Anthropic from "@anthropic-ai/sdk";

const tides = { Brest: "4.1 m", "Saint-Malo": "9.8 m" };
const client = new Anthropic();
const tools = [
  {
    name: "get_tide",
    description: "The height of the tide in a port.",
    input_schema: { type: "object", properties: { port: { type: "string" } }, required: ["port"] },
  },
];
const messages = [{ role: "user", content: "How high is the tide?" }];

for (;;) {
  const stream = client.messages.stream({ model: "claude-opus-5-5", max_tokens: 1024, messages, tools });
  const reply = await stream.finalMessage();
  messages.push({ role: "assistant", content: reply.content });
  if (reply.stop_reason !== "tool_use") {
    console.log(reply.content.map((block) => block.text ?? "").join(""));
    break;
  }
  const calls = reply.content.filter((block) => block.type === "tool_use");
  const answered = process.argv.includes("--forgetful") ? calls.slice(0, 1) : calls;
  messages.push({
    role: "user",
    content: answered.map((call) => ({
      type: "tool_result",
      tool_use_id: call.id,
      content: tides[call.input.port],
    })),
  });
}
