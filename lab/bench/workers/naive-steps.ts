import type { ClientBase } from 'pg'

/** Everybody in the naive ledger, and what a call costs there, in micro-USDC. */
export const NAIVE = {
  credential: 'cred_naive',
  owner: '0x00000000000000000000000000000000000000a1',
  provider: '0x00000000000000000000000000000000000000b2',
  service: 'svc_naive',
  price: 100n,
  deposit: 1_000_000_000_000n,
} as const

const { credential, owner, provider, service, price } = NAIVE

/**
 * First step: the key is claimed, then credential, spending policy and balance are drawn on, each only when it has
 * enough. The rows that everybody wants are written last, so that they are locked for as short a time as can be.
 */
export function holdCall(
  client: ClientBase,
  call: { id: string; key: string; requestHash: Buffer },
): Promise<void> {
  return inTransaction(client, async () => {
    await one(client, {
      name: 'claim',
      text: `insert into invocations (id, credential_id, idempotency_key, request_hash, owner, provider, service_id,
               status, hold, drawn_at)
             values ($1, $2, $3, $4, $5, $6, $7, 'PENDING', $8, now())
             on conflict (credential_id, idempotency_key) do nothing`,
      values: [call.id, credential, call.key, call.requestHash, owner, provider, service, price],
    })
    await one(client, {
      name: 'draw-credential',
      text: `update credentials set calls_used = calls_used + 1, held = held + $2
             where id = $1 and status = 'active' and (max_calls is null or calls_used < max_calls)
               and (credit_limit is null or spent + held + $2 <= credit_limit)`,
      values: [credential, price],
    })
    await one(client, {
      name: 'draw-policy',
      text: `update spending_policies set month_drawn = month_drawn + $2, day_drawn = day_drawn + $2
             where owner = $1 and (monthly_limit is null or month_drawn + $2 <= monthly_limit)
               and (daily_limit is null or day_drawn + $2 <= daily_limit)`,
      values: [owner, price],
    })
    await one(client, {
      name: 'reserve',
      text: 'update accounts set reserved = reserved + $2 where id = $1 and posted - reserved >= $2',
      values: [`consumer:${owner}`, price],
    })
  })
}

/** Second step: the call ends, its answer is kept, the entries are written and the money moves. */
export function settleCall(client: ClientBase, call: { id: string; answer: string }): Promise<void> {
  return inTransaction(client, async () => {
    await one(client, {
      name: 'end',
      text: `update invocations
             set status = 'SUCCEEDED', charged = hold, latency_ms = 1, attempts = 1, finished_at = clock_timestamp()
             where id = $1 and status = 'PENDING'`,
      values: [call.id],
    })
    await one(client, {
      name: 'keep-answer',
      text: 'insert into invocation_answers (invocation_id, http_status, body) values ($1, 200, $2)',
      values: [call.id, call.answer],
    })
    await client.query({
      name: 'entries',
      text: `insert into entries (kind, reference, account, amount)
             values ('capture', $1, $2, -$4::bigint), ('capture', $1, $3, $4::bigint)`,
      values: [call.id, `consumer:${owner}`, `provider:${provider}`, price],
    })
    await one(client, {
      name: 'spend-credential',
      text: 'update credentials set held = held - $2, spent = spent + $2 where id = $1',
      values: [credential, price],
    })
    await one(client, {
      name: 'capture',
      text: 'update accounts set posted = posted - $2, reserved = reserved - $2 where id = $1',
      values: [`consumer:${owner}`, price],
    })
    await one(client, {
      name: 'earn',
      text: 'update accounts set posted = posted + $2 where id = $1',
      values: [`provider:${provider}`, price],
    })
  })
}

async function inTransaction(client: ClientBase, work: () => Promise<void>): Promise<void> {
  await client.query('begin')
  try {
    await work()
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw error
  }
}

/** A statement that must touch one row: prepared once per connection. */
async function one(
  client: ClientBase,
  statement: { name: string; text: string; values: readonly unknown[] },
): Promise<void> {
  const { name, text, values } = statement
  const { rowCount } = await client.query({ name, text, values: [...values] })
  if (rowCount !== 1) throw new Error(`${name} touched ${rowCount} rows.`)
}
