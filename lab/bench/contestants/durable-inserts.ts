import pg from 'pg'
import { createLatencies } from '../workers/latencies.ts'
import type { LoadResult } from '../workers/messages.ts'
import type { Round } from './contestants.ts'

/** About what a gateway stores of an answer of the bench's provider, in characters. */
const BODY = 'x'.repeat(500)

/** Two single-row inserts after one another on one connection, each of them durable before the next. */
export type DurableInserts = { run(round: Round): Promise<LoadResult>; stop(): Promise<void> }

/** @param databaseUrl where a table for them is created */
export async function openDurableInserts(databaseUrl: string): Promise<DurableInserts> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query('create table durable_inserts (id text primary key, body text not null)')
  const insert = (id: string) =>
    client.query({ name: 'insert', text: 'insert into durable_inserts values ($1, $2)', values: [id, BODY] })
  return {
    async run({ keyPrefix, warmupSeconds, seconds }) {
      const latencies = createLatencies()
      const measuredFrom = performance.now() + warmupSeconds * 1_000
      const endsAt = measuredFrom + seconds * 1_000
      let pairs = 0
      for (let from = performance.now(); from < endsAt; from = performance.now()) {
        await insert(`${keyPrefix}-${pairs}-held`)
        await insert(`${keyPrefix}-${pairs}-settled`)
        pairs += 1
        if (from >= measuredFrom) latencies.add(performance.now() - from)
      }
      return {
        perSecond: latencies.count() / seconds,
        latency: latencies.percentiles(),
        shedPerSecond: 0,
        goodByTarget: [pairs],
        errors: 0,
        errorSamples: [],
      }
    },
    stop: () => client.end(),
  }
}
