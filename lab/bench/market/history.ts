import type pg from 'pg'
import { inDatabase } from '../../kit/in-database.ts'
import { say } from '../../kit/program.ts'

/** Numbers of rows of a long-running gateway. */
export type HistorySize = {
  readonly owners: number
  readonly providers: number
  readonly services: number
  readonly credentials: number
  readonly invocations: number
}

/** The history that is measured. */
export const LONG_LIFE: HistorySize = {
  owners: 1_000,
  providers: 100,
  services: 10_000,
  credentials: 100_000,
  invocations: 1_000_000,
}

/** One call in five is made by the busy owner, with credentials of its own. */
const BUSY_SHARE = 5
const BUSY_CREDENTIALS = 100
/** Micro-USDC of a call. */
const CHARGE = 100n
/** Calls are spread over this many days up to now. */
const DAYS = 30
/** Calls written by one transaction. */
const CHUNK = 25_000

/**
 * Fills a migrated database that no gateway has seen with a history: owners, credentials, services and finished paid calls with
 * their answers and entries. Written as rows, since a million real calls would take longer than all that is measured
 * on them; the books are exact all the same, down to the counters of every credential, and reconcile finds nothing.
 * Owners have deposited what they were charged, and providers were paid all that they earned, so that the vault
 * owes nothing for it. The services have a target that is not probed.
 */
export function writeHistory(databaseUrl: string, size: HistorySize): Promise<void> {
  return inDatabase(databaseUrl, async client => {
    // The gateway has none of them in memory, so the ledger need not say that they were written.
    await client.query("set farebox.projecting = 'on'")
    await client.query('begin')
    await writeWallets(client, size)
    await writeServices(client, size)
    await writeCredentials(client, size)
    await client.query('commit')
    for (let from = 0; from < size.invocations; from += CHUNK) {
      const to = Math.min(size.invocations, from + CHUNK)
      await client.query('begin')
      await writeCalls(client, size, { from, to })
      await client.query('commit')
    }
    say(`A history of ${size.invocations} calls is written.`)
    await client.query('begin')
    await closeBooks(client, size)
    await client.query('commit')
    // The maintenance that a database in use would have had.
    await client.query('vacuum')
  })
}

/** Address of an owner (0) or provider (1): after a mark that no real wallet has. */
const walletSql = (kind: '0' | '1', index: string) =>
  `('0x5eed${kind}' || lpad(to_hex((${index})::bigint), 35, '0'))`
const idSql = (prefix: string, index: string) => `'${prefix}_00' || lpad((${index})::text, 24, '0')`
const credentialOf = (i: string, { credentials }: HistorySize) =>
  `case when ${i} % ${BUSY_SHARE} = 0 then ${i} / ${BUSY_SHARE} % ${BUSY_CREDENTIALS}
        else ${BUSY_CREDENTIALS} + ${i} % ${credentials - BUSY_CREDENTIALS} end`
const ownerOf = (credential: string, { owners }: HistorySize) =>
  `case when ${credential} < ${BUSY_CREDENTIALS} then 0 else 1 + ${credential} % ${owners - 1} end`

async function writeWallets(client: pg.Client, { owners, providers }: HistorySize): Promise<void> {
  await client.query(`
    insert into wallets (address, username, is_provider)
    select ${walletSql('0', 'i')}, 'owner ' || i, false from generate_series(0, ${owners - 1}) i
    union all
    select ${walletSql('1', 'i')}, 'provider ' || i, true from generate_series(0, ${providers - 1}) i`)
  await client.query(`
    insert into accounts (id) select 'consumer:' || ${walletSql('0', 'i')} from generate_series(0, ${owners - 1}) i
    on conflict do nothing`)
}

async function writeServices(client: pg.Client, { services, providers }: HistorySize): Promise<void> {
  await client.query(`
    insert into services (id, owner, agent_tool_name, service_name, summary, description, tags, service_kind,
      price_model, price, method, timeout_ms, request, response)
    select ${idSql('svc', 'i')}, ${walletSql('1', `i % ${providers}`)}, 'history-' || i, 'Service of old ' || i,
      'Answers question ' || i, '', array['history', 'tag-' || i % 50], 'api', 'fixed', ${CHARGE}, 'POST', 30000,
      '{}', '{}'
    from generate_series(0, ${services - 1}) i`)
  await client.query(`
    insert into tool_names (name, service_id)
    select agent_tool_name, id from services where agent_tool_name like 'history-%'`)
  await client.query(`
    insert into service_targets (service_id, url, position, weight, is_healthy, streak, last_probed_at, latency_ms,
      next_probe_at)
    select id, 'http://127.0.0.1:9/' || agent_tool_name, 1, 1, true, 1, now(), 5, 'infinity'
    from services where agent_tool_name like 'history-%'`)
}

async function writeCredentials(client: pg.Client, size: HistorySize): Promise<void> {
  await client.query(`
    insert into credentials (id, owner, name, token_hash, rpm, reset_interval, interval_start)
    select ${idSql('cred', 'i')}, ${walletSql('0', ownerOf('i', size))}, 'agent ' || i,
      sha256(convert_to('history ' || i, 'utf8')), 600, 'never', 'epoch'
    from generate_series(0, ${size.credentials - 1}) i`)
}

async function writeCalls(
  client: pg.Client,
  size: HistorySize,
  { from, to }: { from: number; to: number },
): Promise<void> {
  await client.query(`
    insert into invocations (id, credential_id, idempotency_key, request_hash, owner, provider, service_id, status,
      hold, charged, drawn_at, finished_at, latency_ms, attempts)
    select ${idSql('inv', 'i')}, ${idSql('cred', 'c')}, 'history-' || i, sha256(int8send(i)),
      ${walletSql('0', ownerOf('c', size))}, ${walletSql('1', `i % ${size.providers}`)},
      ${idSql('svc', `i % ${size.services}`)}, 'SUCCEEDED', ${CHARGE}, ${CHARGE}, at, at + interval '20 ms', 20, 1
    from generate_series(${from}::bigint, ${to - 1}) i,
      lateral (select ${credentialOf('i', size)} as c,
        now() - interval '${DAYS} days' * (1 - i / ${size.invocations}.0) as at) of_call`)
  await client.query(`
    insert into invocation_answers (invocation_id, http_status, body)
    select id, 200, '{"invocationId":"' || id || '","status":"SUCCEEDED","chargedUsdc":"0.000100","receipt":'
      || '{"serviceId":"' || service_id || '","credentialId":"' || credential_id || '","latencyMs":20,"attempts":1,'
      || '"requestHash":"' || encode(request_hash, 'hex') || '","responseHash":"' || encode(request_hash, 'hex')
      || '"},"result":{"answer":"' || repeat(md5(id), 4) || '"}}'
    from invocations where id >= ${idSql('inv', String(from))} and id <= ${idSql('inv', String(to - 1))}`)
  await client.query(`
    insert into entries (kind, reference, account, amount, created_at)
    select 'capture', i.id, account, amount, i.finished_at
    from invocations i,
      lateral (values ('consumer:' || owner, -charged), ('provider:' || provider, charged)) e (account, amount)
    where i.id >= ${idSql('inv', String(from))} and i.id <= ${idSql('inv', String(to - 1))} order by i.id`)
}

/** Pays in what owners were charged and out what providers earned, and brings every counter to what the calls say. */
async function closeBooks(client: pg.Client, { owners, providers }: HistorySize): Promise<void> {
  await client.query(`
    insert into accounts (id) select 'provider:' || ${walletSql('1', 'i')} from generate_series(0, ${providers - 1}) i`)
  await client.query(`
    with charged as (
      select substr(account, 10) as wallet, -sum(amount) as amount, sha256(convert_to(account, 'utf8')) as hash
      from entries where kind = 'capture' and reference like 'inv_00%' and account like 'consumer:%' group by account),
    events as (
      insert into vault_deposits (chain_id, tx_hash, log_index, wallet, amount, block_number, block_hash, credited_at)
      select 0, '0x' || encode(hash, 'hex'), 0, wallet, amount, 0, '', now() from charged returning *),
    intents as (
      insert into deposits (id, wallet, tx_hash, status, credited, log_index)
      select 'dep_00' || right(tx_hash, 24), wallet, tx_hash, 'credited', amount, 0 from events)
    insert into entries (kind, reference, account, amount)
    select 'deposit', '0:' || tx_hash || ':0', account, amount
    from (select tx_hash, wallet, amount as paid from events) e,
      lateral (values ('consumer:' || wallet, paid), ('vault', -paid)) leg (account, amount)`)
  await client.query(`
    with earned as (
      select substr(account, 10) as wallet, sum(amount) as amount, row_number() over (order by account) as number
      from entries where account like 'provider:0x5eed1%' group by account having sum(amount) > 0),
    paid as (
      insert into withdrawals (id, wallet, amount, status, nonce, deadline, signature, issued_block, redeemed_in,
        redeemed_block, chain_id, vault)
      select ${idSql('wd', 'number')}, wallet, amount, 'COMPLETED', 'history ' || number, 0, '0x', 0,
        'history:' || number, 0, 0, '0x' || repeat('0', 40)
      from earned returning *)
    insert into entries (kind, reference, account, amount)
    select 'withdrawal-paid', id, account, leg.amount
    from paid, lateral (values ('provider:' || wallet, -paid.amount), ('vault', paid.amount)) leg (account, amount)`)
  await client.query(`
    update accounts a set posted = e.amount
    from (select account, sum(amount) as amount from entries group by account) e
    where e.account = a.id
      and (a.id like 'consumer:0x5eed0%' or a.id like 'provider:0x5eed1%' or a.id = 'vault')`)
  await client.query(`
    update credentials c set calls_used = s.calls, spent = s.spent
    from (select credential_id, count(*) as calls, sum(charged) as spent from invocations group by credential_id) s
    where s.credential_id = c.id`)
  await client.query(`
    insert into spending_policies (owner, month_drawn, day_drawn)
    select ${walletSql('0', 'i')}, coalesce(month_drawn, 0), coalesce(day_drawn, 0)
    from generate_series(0, ${owners - 1}) i
    left join (
      select owner, sum(charged) filter (where drawn_at >= date_trunc('month', now(), 'UTC')) as month_drawn,
             sum(charged) filter (where drawn_at >= date_trunc('day', now(), 'UTC')) as day_drawn
      from invocations group by owner) s on s.owner = ${walletSql('0', 'i')}`)
}
