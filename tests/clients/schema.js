// usage: schema.js SCHEMA DOCUMENT: checks a JSON document against a JSON Schema with ajv.
'use strict';
const fs = require('fs');
const Ajv = require('ajv').default;
const [schema, document] = process.argv.slice(2).map((path) => JSON.parse(fs.readFileSync(path, 'utf8')));
const check = new Ajv({ strict: false, allErrors: true }).compile(schema);
if (!check(document)) {
  console.error(JSON.stringify(check.errors.slice(0, 5), null, 1));
  process.exit(1);
}
