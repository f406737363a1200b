// The TypeScript SDK's tool runner: `--stream` for replies in events, `--no-thread` for history that is resent.
import Anthropic from "@anthropic-ai/sdk";
import { betaTool } from "@anthropic-ai/sdk/helpers/beta/json-schema";

const tides = { Brest: "4.1 m", "Saint-Malo": "9.8 m" };
const getTide = betaTool({
  name: "get_tide",
  description: "The height of the tide in a port.",
  inputSchema: { type: "object", properties: { port: { type: "string" } }, required: ["port"] },
  run: ({ port }) => tides[port],
});
const runner = new Anthropic().beta.messages.toolRunner({
  model: "claude-opus-5-5",
  max_tokens: 1024,
  messages: [{ role: "user", content: "How high is the tide?" }],
  tools: [getTide],
  stream: process.argv.includes("--stream"),
  ...(process.argv.includes("--no-thread") ? { thread: false } : {}),
});
const last = await runner.runUntilDone();
console.log(last.content.map((block) => block.text ?? "").join(""));
