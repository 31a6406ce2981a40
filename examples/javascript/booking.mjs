// What an application does with signal.mjs: it books, and it shows a calendar.
import { DynamoDBClient, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb';
import { Signals, signalKey } from './signal.mjs';

const client = new DynamoDBClient({});
const signals = new Signals(client, process.env.SIGNALS_TABLE);

const take = ({ collectionId, activityType, activityId, productId }, date) => ({
  Update: {
    TableName: process.env.INVENTORY_TABLE,
    Key: { pk: { S: ['inventoryPool', collectionId, activityType, activityId, productId, date].join('::') }, sk: { S: 'main' } },
    UpdateExpression: 'SET #availability = #availability - :one',
    ConditionExpression: '#availability >= :one',
    ExpressionAttributeNames: { '#availability': 'availability' },
    ExpressionAttributeValues: { ':one': { N: '1' } },
  },
});

/** Takes one unit on each night. It is the inventory that decides, never a signal. */
export function book(product, nights) {
  const TransactItems = nights.map((date) => take(product, date));
  return signals.afterCommit(
    (token) => client.send(new TransactWriteItemsCommand({ TransactItems, ClientRequestToken: token })),
    nights.map((date) => signalKey(product, date)),
  );
}

/** One line for each date that is still to come. */
export async function calendar(product, first, last) {
  const readings = await signals.readRange(product, first, last);
  return readings.filter(({ expired }) => !expired).map(({ date, value, asOf, stale, unknown }) => {
    if (unknown) return `${date} ask us`;
    if (value === 'none') return `${date} closed`;
    return stale ? `${date} ${value} (as of ${asOf?.toISOString() ?? 'the start'})` : `${date} ${value}`;
  });
}
