// A table on the local AWS for one file of tests, and what others do in it.
import { randomUUID } from 'node:crypto';
import { after, before } from 'node:test';
import { CreateTableCommand, DeleteTableCommand, DynamoDBClient, GetItemCommand, PutItemCommand, waitUntilTableExists } from '@aws-sdk/client-dynamodb';
import { Signals, signalKey } from '../signal.mjs';

export const product = { collectionId: 'mockPark1', activityType: 'backcountryCamp', activityId: 1, productId: 1 };
export const key = (day) => signalKey(product, `2090-07-${String(day).padStart(2, '0')}`);
export const now = new Date('2090-06-01T12:00:00Z');
export const minutesAgo = (minutes) => new Date(now - minutes * 60_000).toISOString();

export class Table {
  name = `availability-test-${randomUUID()}`;

  /** setUp goes before the tests, once the table is there. */
  constructor(setUp = () => {}) {
    before(async () => {
      // Never an account that the machine may have credentials of.
      if (!process.env.AWS_ENDPOINT_URL) throw new Error('AWS_ENDPOINT_URL is not set: run make test, which starts a local AWS');
      this.client = new DynamoDBClient({});
      await this.client.send(new CreateTableCommand({
        TableName: this.name, BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: ['pk', 'sk'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
        KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }, { AttributeName: 'sk', KeyType: 'RANGE' }],
      }));
      await waitUntilTableExists({ client: this.client, maxWaitTime: 60, minDelay: 1 }, { TableName: this.name });
      await setUp(this);
    });
    after(async () => {
      await this.client.send(new DeleteTableCommand({ TableName: this.name }));
      this.client.destroy();
    });
  }

  /** The signals as an application has them; what it logs is kept. Calls of intercept(command, send) go first. */
  signals({ intercept = (command, send) => send(), ...options } = {}) {
    const log = [];
    const client = { send: (command, ...rest) => intercept(command, () => this.client.send(command, ...rest)) };
    return Object.assign(new Signals(client, this.name, { now: () => now, log: (line) => log.push(line), limitMs: 60_000, ...options }), { log });
  }

  async put(Item) { await this.client.send(new PutItemCommand({ TableName: this.name, Item })); }

  /** A clean signal that has been checked, but for what is given. */
  async checked(day, given = {}) {
    const { pk, sk } = key(day);
    await this.put({
      pk: { S: pk }, sk: { S: sk }, schema: { S: 'availabilitySignal' }, gsipk: { S: 'cadenceBucket::5min' }, gsisk: { S: 'clean' }, rev: { N: '3' },
      value: { S: '37' }, lastUpdatedAt: { S: minutesAgo(1) }, expiry: { S: '2090-08-01T07:00:00.000Z' }, ttl: { N: '3805254000' }, ...given,
    });
  }

  /** A bucket whose last run ended so many minutes ago. */
  async bucket(name, cadence, ranMinutesAgo, given = {}, run = {}) {
    const pk = { S: `cadenceBucket::${name}` };
    await this.put({ pk, sk: { S: 'cadenceBucket' }, schema: { S: 'cadenceBucket' }, format: { N: '1' }, name: { S: name }, cadence, shards: { N: '1' }, ...given });
    if (ranMinutesAgo !== undefined) await this.put({ pk, sk: { S: 'run' }, lastRunAt: { S: minutesAgo(ranMinutesAgo) }, ...run });
  }

  async item({ pk, sk }) {
    return (await this.client.send(new GetItemCommand({ TableName: this.name, Key: { pk: { S: pk }, sk: { S: sk } }, ConsistentRead: true }))).Item;
  }
}
