"""Others' recordings: one small reader per format behind one table.

Law: bytes in, a session out; `table.load` is the only function that touches a file. A format is told by its content.
Nothing in a recording is run or resolved, everything has limits, and whatever goes wrong is a `RecordingError` that
names the file and the line or field. What was no Claude traffic is counted, never silently dropped.

`table` lists the formats. Those that are one JSON or YAML document have a `Shape` and give HTTP calls, which `http`
makes into exchanges; those of lines and streams have a `Format` and give exchanges.
"""
