// usage: otlp.js traces|metrics FILE: decodes each line of a file of OTLP with the protobuf messages of
// @opentelemetry/otlp-transformer, after what JSON has otherwise (ids in hexadecimal), and prints what came out.
'use strict';
const fs = require('fs');
const path = require('path');
const base = path.dirname(require.resolve('@opentelemetry/otlp-transformer/package.json'));
const root = require(path.join(base, 'build/src/generated/root.js'));
const collector = root.opentelemetry.proto.collector;
const [signal, file] = process.argv.slice(2);
const message = signal === 'traces' ? collector.trace.v1.ExportTraceServiceRequest : collector.metrics.v1.ExportMetricsServiceRequest;

const ids = new Set(['traceId', 'spanId', 'parentSpanId']);
const lengths = { traceId: 32, spanId: 16, parentSpanId: 16 };
const integers = /(UnixNano|^asInt|^intValue)$/;
function walk(value, key) {
  if (ids.has(key)) {
    if (value === '' && key === 'parentSpanId') return new Uint8Array();
    if (!new RegExp(`^[0-9a-f]{${lengths[key]}}$`).test(value) || /^0*$/.test(value)) throw new Error(`${key}: ${value}`);
    return Uint8Array.from(Buffer.from(value, 'hex'));
  }
  if (integers.test(key) && typeof value !== 'string') throw new Error(`${key} is no string: ${value}`);
  if (Array.isArray(value)) return value.map((item) => walk(item));
  if (value && typeof value === 'object') return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, walk(v, k)]));
  return value;
}
// A key that the messages do not know would be dropped without a word: what is decoded must have as many values.
const count = (value) => value instanceof Uint8Array || value === null || typeof value !== 'object' ? 1
  : Object.values(value).reduce((sum, item) => sum + count(item), 0);

const requests = fs.readFileSync(file, 'utf8').trimEnd().split('\n').map((line) => {
  const plain = walk(JSON.parse(line));
  const made = message.fromObject(plain);
  const wrong = message.verify(made);
  if (wrong) throw new Error(wrong);
  const decoded = message.toObject(message.decode(message.encode(made).finish()), { longs: String, enums: Number });
  const [given, got] = [count(plain), count(decoded)];
  if (given !== got) throw new Error(`${given} values are written, ${got} are understood`);
  return decoded;
});
console.log(JSON.stringify(requests, (key, value) => (value && value.type === 'Buffer' ? Buffer.from(value.data).toString('hex')
  : value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value)));
