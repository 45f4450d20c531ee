import type { Round } from './contestants.ts'
import { inDatabase } from './in-database.ts'
import type { RoundResult } from './messages.ts'
import { NAIVE } from './workers/naive-steps.ts'
import type { NaiveWorker } from './workers.ts'

const DATABASE = 'naive_ledger'
/** Numbers of connections that are tried; the best is measured. All of them want the same rows, so more is not better. */
const CONNECTIONS_TRIED = [1, 2, 4, 8, 16, 32, 64]
const TRIAL_SECONDS = 0.6
const TRIAL_WARMUP_SECONDS = 0.3
const TRIALS = 2

/**
 * Tables as the gateway has them where a paid call writes, fewer indexes included: what lists, prunes and reconciles is
 * left out.
 */
const SCHEMA = `
  create table accounts (
    id       text   primary key,
    posted   bigint not null default 0,
    reserved bigint not null default 0,
    check (reserved >= 0),
    check (strpos(id, ':') = 0 or posted >= reserved)
  ) with (fillfactor = 50);
  create table entries (
    id         bigint generated always as identity,
    kind       text        not null,
    reference  text        not null,
    account    text        not null,
    amount     bigint      not null check (amount <> 0),
    created_at timestamptz not null default now()
  );
  create index entries_by_account on entries (account, id);
  create table credentials (
    id           text   primary key,
    owner        text   not null,
    status       text   not null default 'active',
    max_calls    bigint,
    credit_limit bigint,
    calls_used   bigint not null default 0,
    spent        bigint not null default 0,
    held         bigint not null default 0 check (held >= 0)
  ) with (fillfactor = 50);
  create table spending_policies (
    owner         text   primary key,
    monthly_limit bigint,
    daily_limit   bigint,
    month_drawn   bigint not null default 0,
    day_drawn     bigint not null default 0
  ) with (fillfactor = 50);
  create table invocations (
    id              text   primary key,
    credential_id   text   not null,
    idempotency_key text   not null,
    request_hash    bytea  not null,
    owner           text   not null,
    provider        text   not null,
    service_id      text   not null,
    status          text   not null,
    hold            bigint not null check (hold >= 0),
    charged         bigint not null default 0 check (charged between 0 and hold),
    drawn_at        timestamptz not null,
    finished_at     timestamptz,
    latency_ms      integer,
    attempts        smallint not null default 0,
    unique (credential_id, idempotency_key)
  ) with (fillfactor = 50);
  create index invocations_by_owner on invocations (owner, id);
  create table invocation_answers (
    invocation_id text     primary key,
    http_status   smallint not null,
    body          text     not null
  );`

/** Makes the naive ledger in a second database of the gateway's server. Returns its URL. */
export async function createNaiveLedger(gatewayDatabaseUrl: string): Promise<string> {
  const url = new URL(gatewayDatabaseUrl)
  url.pathname = `/${DATABASE}`
  await inDatabase(gatewayDatabaseUrl, client => client.query(`create database ${DATABASE}`))
  const { credential, owner, provider, deposit } = NAIVE
  await inDatabase(url.href, async client => {
    await client.query(SCHEMA)
    await client.query('insert into credentials (id, owner) values ($1, $2)', [credential, owner])
    await client.query('insert into spending_policies (owner) values ($1)', [owner])
    await client.query("insert into accounts (id, posted) values ($1, $2), ('vault', -$2::bigint), ($3, 0)", [
      `consumer:${owner}`,
      deposit,
      `provider:${provider}`,
    ])
    await client.query(
      `insert into entries (kind, reference, account, amount)
       values ('deposit', 'dep_naive', $1, $2), ('deposit', 'dep_naive', 'vault', -$2::bigint)`,
      [`consumer:${owner}`, deposit],
    )
  })
  return url.href
}

/** A naive ledger with as many connections as serve it best, and how many cycles it has been through. */
export type NaiveLedger = {
  readonly connections: number
  cycles(): number
  /** Takes calls through it for some time; callers beyond its connections would only wait. */
  run(round: Round): Promise<RoundResult>
}

/** Finds the number of connections with which it is fastest. */
export async function tuneNaiveLedger(worker: NaiveWorker): Promise<NaiveLedger> {
  let cycles = 0
  const run = async (round: Round, connections: number): Promise<RoundResult> => {
    const rest = { origin: '', path: '', targets: [], price: '', script: null, isPaid: false }
    const result = await worker.run({ ...round, ...rest, callers: Math.min(round.callers, connections) })
    cycles += result.goodByTarget[0] ?? 0
    return result
  }
  const found = new Map<number, number>()
  for (let trial = 0; trial < TRIALS; trial += 1) {
    for (const callers of CONNECTIONS_TRIED) {
      const round = { callers, keyPrefix: `trial-${trial}-${callers}` }
      const times = { warmupSeconds: TRIAL_WARMUP_SECONDS, seconds: TRIAL_SECONDS }
      const { perSecond } = await run({ ...round, ...times }, callers)
      found.set(callers, (found.get(callers) ?? 0) + perSecond)
    }
  }
  const best = CONNECTIONS_TRIED.toSorted((a, b) => (found.get(b) ?? 0) - (found.get(a) ?? 0))
  const connections = best[0] ?? 1
  return { connections, cycles: () => cycles, run: round => run(round, connections) }
}

/** What is wrong with the books of the naive ledger after so many cycles. */
export async function checkNaiveLedger(databaseUrl: string, cycles: number): Promise<string[]> {
  return inDatabase(databaseUrl, async client => {
    const { rows } = await client.query<{ what: string; found: string; expected: string }>(
      `select * from (values
         ('calls that succeeded', (select count(*) from invocations where status = 'SUCCEEDED'), $1::bigint),
         ('all calls', (select count(*) from invocations), $1),
         ('answers', (select count(*) from invocation_answers), $1),
         ('sum of all entries', (select sum(amount) from entries), 0),
         ('accounts whose balance is not the sum of their entries',
           (select count(*) from accounts a
            where posted <> (select coalesce(sum(amount), 0) from entries e where e.account = a.id)), 0),
         ('money still reserved', (select sum(reserved) from accounts), 0),
         ('what the provider has', (select posted from accounts where id = $2), $1 * $3::bigint),
         ('what the credential has spent', (select spent from credentials), $1 * $3)
       ) as checks (what, found, expected) where found is distinct from expected`,
      [cycles, `provider:${NAIVE.provider}`, NAIVE.price],
    )
    return rows.map(({ what, found, expected }) => `naive ledger: ${what}: ${found}, and not ${expected}`)
  })
}
