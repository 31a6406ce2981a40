// What the README shows does what it says.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { Signals, signalKey } from '../signal.mjs';
import { Table, product } from './table.mjs';

const table = new Table((made) => made.bucket('5min', { M: { minutes: { N: '5' } } }, 1));

test('the code of the README', async () => {
  const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8');
  const shown = [...readme.matchAll(/^```js\n(.*?)^```$/gms)].map(([, code]) => code);
  assert.equal(shown.length, 2);
  const code = shown.join('\n').replace("'signals'", 'table').replaceAll('2027-', '2090-');
  const AsyncFunction = (async () => {}).constructor;
  const run = new AsyncFunction('DynamoDBClient', 'Signals', 'signalKey', 'product', 'table', `${code}\nawait signals.flip(key);\nreturn key;`);
  const key = await run(DynamoDBClient, Signals, signalKey, product, table.name);
  const { gsisk, rev, seededBy, expiry } = await table.item(key);
  assert.deepEqual({ gsisk, seededBy, expiry }, { gsisk: { S: 'dirty' }, seededBy: { S: 'our-admin-tool' }, expiry: { S: '2090-07-02T07:00:00.000Z' } });
  // Seeded at 0, and flipped once, unless the SDK has repeated it.
  assert.ok(Number(rev.N) >= 1);
});
