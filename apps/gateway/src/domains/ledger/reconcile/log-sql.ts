import sql, { type Sql } from 'sql-template-tag'

/** Checks of the log itself. */
export const NUMBER_CHECK = 'the-log-is-numbered-without-a-gap'
export const HASH_CHECK = 'a-row-of-the-log-has-the-hash-of-what-it-says'
export const HEAD_CHECK = 'the-log-ends-where-its-partition-says'
export const PROJECTED_CHECK = 'what-is-projected-is-in-the-log'
export const MARK_CHECK = 'the-log-stays-as-it-was'
/** Checks of the projection. */
export const CALL_CHECK = 'a-call-is-what-the-log-says'
export const ORIGIN_CHECK = 'a-call-was-held-in-the-log'
export const STATE_CHECK = 'a-row-is-what-the-log-said-last'
/** Check of the states that batches left. */
export const FOLD_CHECK = 'an-account-is-the-sum-of-its-events'

/** Previous hash of the first row of a partition. */
export const NO_HASH = sql`decode(repeat('00', 32), 'hex')`

/** Format of times as text, independent of the session's time zone. */
const timeText = (at: Sql): Sql => sql`to_char(${at} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`

/** SQL: state of an account, from its columns. */
const accountState = (posted: Sql, reserved: Sql, promotional: Sql): Sql => sql`
  jsonb_build_object('posted', ${posted}, 'reserved', ${reserved}, 'promotional', ${promotional})`

type CredentialColumns = Readonly<Record<'callsUsed' | 'spent' | 'held' | 'since' | 'window', Sql>>
const credentialState = ({ callsUsed, spent, held, since, window }: CredentialColumns): Sql => sql`
  jsonb_build_object('calls', ${callsUsed}, 'spent', ${spent}, 'held', ${held}, 'since', ${timeText(since)},
    'window', md5(${window}))`

type PolicyColumns = Readonly<Record<'monthStart' | 'month' | 'dayStart' | 'day', Sql>>
const policyState = ({ monthStart, month, dayStart, day }: PolicyColumns): Sql => sql`
  jsonb_build_object('month', ${month}, 'month since', ${timeText(monthStart)}, 'day', ${day},
    'day since', ${timeText(dayStart)})`

/** SQL: states that log rows recorded: `partition, seq, kind, id, state, is_rewritten`. */
export function statesOf(lines: Sql): Sql {
  const row = (name: Sql): Sql => sql`(l.changed #>> array['row', ${name}])`
  return sql`
    select l.partition, l.seq, 'account' as kind, a.owner as id,
           ${accountState(sql`a.posted`, sql`a.reserved`, sql`a.promotional`)} as state, false as is_rewritten
    from ${lines} l cross join lateral json_populate_recordset(null::ledger_account, l.accounts) a
    union all
    select l.partition, l.seq, 'credential', c.id,
           ${credentialState({
             callsUsed: sql`c.calls_used`,
             spent: sql`c.spent`,
             held: sql`c.held`,
             since: sql`c.interval_start`,
             window: sql`decode(c.rate_window, 'base64')`,
           })}, false
    from ${lines} l cross join lateral json_populate_recordset(null::ledger_credential, l.credentials) c
    union all
    select l.partition, l.seq, 'policy', p.owner,
           ${policyState({
             monthStart: sql`p.month_start`,
             month: sql`p.month_drawn`,
             dayStart: sql`p.day_start`,
             day: sql`p.day_drawn`,
           })}, false
    from ${lines} l cross join lateral json_populate_recordset(null::ledger_policy, l.policies) p
    union all
    select l.partition, l.seq, s.kind, s.id, s.state, true
    from ${lines} l cross join lateral (
      select 'account' as kind, l.changed ->> 'owner' as id,
             ${accountState(
               sql`${row(sql`'posted'`)}::bigint`,
               sql`${row(sql`'reserved'`)}::bigint`,
               sql`${row(sql`'promotional'`)}::bigint`,
             )} as state
      where l.changed ->> 'table' = 'accounts'
      union all
      select 'credential', ${row(sql`'id'`)},
             ${credentialState({
               callsUsed: sql`${row(sql`'calls_used'`)}::bigint`,
               spent: sql`${row(sql`'spent'`)}::bigint`,
               held: sql`${row(sql`'held'`)}::bigint`,
               since: sql`${row(sql`'interval_start'`)}::timestamptz`,
               window: sql`${row(sql`'rate_window'`)}::bytea`,
             })}
      where l.changed ->> 'table' = 'credentials'
      union all
      select 'policy', ${row(sql`'owner'`)},
             ${policyState({
               monthStart: sql`${row(sql`'month_start'`)}::timestamptz`,
               month: sql`${row(sql`'month_drawn'`)}::bigint`,
               dayStart: sql`${row(sql`'day_start'`)}::timestamptz`,
               day: sql`${row(sql`'day_drawn'`)}::bigint`,
             })}
      where l.changed ->> 'table' = 'spending_policies') s
    where l.changed is not null`
}

/** SQL: current state of the row that `s.kind` and `s.id` name: `state`; no row if it is missing. */
export const STORED_STATE = sql`
  select ${accountState(sql`a.posted`, sql`a.reserved`, sql`a.promotional`)} as state
  from accounts a where s.kind = 'account' and a.id = 'consumer:' || s.id
  union all
  select ${credentialState({
    callsUsed: sql`c.calls_used`,
    spent: sql`c.spent`,
    held: sql`c.held`,
    since: sql`c.interval_start`,
    window: sql`c.rate_window`,
  })}
  from credentials c where s.kind = 'credential' and c.id = s.id
  union all
  select ${policyState({
    monthStart: sql`p.month_start`,
    month: sql`p.month_drawn`,
    dayStart: sql`p.day_start`,
    day: sql`p.day_drawn`,
  })}
  from spending_policies p where s.kind = 'policy' and p.owner = s.id`

/** SQL condition: a later log row records a write outside of call batches. */
const isRewrittenLater = (table: string, id: Sql): Sql => sql`
  exists (
    select from ledger_log later
    where later.partition = d.partition and later.seq > d.seq and later.changed ->> 'table' = ${table} and ${id})`

/** SQL condition: the status of the call of a difference `d` was changed by hand later. */
export const CALL_REWRITTEN = isRewrittenLater('invocations', sql`later.changed #>> '{row,id}' = d.row`)
/** SQL condition: the account of a difference `d` was written outside of calls later. */
export const ACCOUNT_REWRITTEN = isRewrittenLater('accounts', sql`later.changed ->> 'owner' = d.owner`)

const heldText = (
  of: Readonly<Record<'credential' | 'key' | 'hash' | 'service' | 'at', Sql>>,
  of2: Sql,
): Sql => sql`
  format('%s for %s to %s, service %s, credential %s, key %s, hash %s, at %s', ${of2}.hold, ${of2}.owner, ${of2}.provider,
    ${of.service}, ${of.credential}, ${of.key}, ${of.hash}, ${timeText(of.at)})`

const endedText = (charge: Sql, at: Sql, of: Sql): Sql => sql`
  format('%s, charge %s, fee %s, promotional %s, from %s to %s, at %s', ${of}.status, ${charge}, ${of}.fee,
    ${of}.promotional, ${of}.owner, ${of}.provider, ${timeText(at)})`

const termsText = (of: Sql): Sql => sql`
  format('prices %s, %s, cached %s, %s, tokens %s, %s, fee of %s', ${of}.input_price, ${of}.output_price,
    ${of}.cache_read_price, ${of}.cache_write_price, ${of}.max_input_tokens, ${of}.max_output_tokens, ${of}.fee_bps)`

const usageText = (of: Sql): Sql => sql`
  format('tokens %s, %s, cached %s, %s, cost %s', ${of}.input_tokens, ${of}.output_tokens, ${of}.cache_read_tokens,
    ${of}.cache_write_tokens, ${of}.cost)`

/** SQL: metered calls of the events `c` whose terms or usage, as `text` says it, differ from them. */
const differingMetered = (events: Sql, text: (of: Sql) => Sql, is: Sql): Sql => sql`
  select c.partition, c.seq, c.id, ${text(sql`c`)}, ${text(sql`m`)}
  from ${events} c left join lateral (
    select * from metered_calls where metered_calls.invocation_id = c.id offset 0) m on true
  where ${is} and ${text(sql`c`)} <> ${text(sql`m`)}`

/**
 * SQL: calls that differ from their events: `partition, seq, row, expected, found`, over `held`, `awaited`, `ended`.
 */
export const DIFFERING_CALLS = sql`
  select h.partition, h.seq, h.id as row, ${heldText(
    {
      credential: sql`h.credential`,
      key: sql`h.key`,
      hash: sql`h.hash`,
      service: sql`h.service`,
      at: sql`h.at`,
    },
    sql`h`,
  )} as expected, case when i.id is null then 'no call' else ${heldText(
    {
      credential: sql`i.credential_id`,
      key: sql`i.idempotency_key`,
      hash: sql`encode(i.request_hash, 'hex')`,
      service: sql`i.service_id`,
      at: sql`i.drawn_at`,
    },
    sql`i`,
  )} end as found
  from held h left join lateral (select * from invocations where invocations.id = h.id offset 0) i on true
  where (i.hold, i.owner, i.provider, i.service_id, i.credential_id, i.idempotency_key, i.request_hash, i.drawn_at)
        is distinct from
        (h.hold, h.owner, h.provider, h.service, h.credential, h.key, decode(h.hash, 'hex'), h.at)
  union all
  select h.partition, h.seq, h.id, 'PENDING', i.status
  from held h join windows w on w.partition = h.partition and w.upto = w.projected
  cross join lateral (select status from invocations where invocations.id = h.id offset 0) i
  where i.status <> 'PENDING' and h.id not in (select id from awaited) and h.id not in (select id from ended)
  union all
  select a.partition, a.seq, a.id, 'PROCESSING, or ended', coalesce(i.status, 'no call')
  from awaited a left join lateral (select status from invocations where invocations.id = a.id offset 0) i on true
  where coalesce(i.status, 'PENDING') = 'PENDING'
  union all
  select e.partition, e.seq, e.id, ${endedText(sql`e.charge`, sql`e.at`, sql`e`)},
         case when i.id is null then 'no call' else ${endedText(sql`i.charged`, sql`i.finished_at`, sql`i`)} end
  from ended e left join lateral (select * from invocations where invocations.id = e.id offset 0) i on true
  where (i.status, i.charged, i.fee, i.promotional, i.finished_at, i.owner, i.provider)
        is distinct from (e.status, e.charge, e.fee, e.promotional, e.at, e.owner, e.provider)
  union all
  ${differingMetered(sql`held`, termsText, sql`c.input_price is not null`)}
  union all
  ${differingMetered(sql`ended`, usageText, sql`c.is_metered`)}`

/**
 * SQL: consumer accounts whose state after a batch differs from what its calls moved: `partition, seq, owner, expected,
 * found`, over `held`, `ended` and `said`. Compares differences only; a write outside of calls starts the next
 * difference. The state in a checkpoint is looked up by key: a join over all of them would be planned badly.
 */
export const differingAccounts = (checkpoint: bigint): Sql => sql`
  with
  moves as (
    select partition, seq, owner, sum(posted) as posted, sum(reserved) as reserved, sum(promotional) as promotional
    from (
      select partition, seq, owner, 0::bigint as posted, hold as reserved, 0::bigint as promotional from held
      union all
      select partition, seq, owner, -charge, -hold, -promotional from ended) m
    group by partition, seq, owner),
  steps as (
    select partition, seq, id as owner, is_rewritten, state, lag(state) over (partition by id order by seq) as before
    from said where kind = 'account'),
  due as (
    select s.partition, s.seq, s.owner, s.state,
           jsonb_build_object('posted', (b.state ->> 'posted')::numeric + coalesce(m.posted, 0),
             'reserved', (b.state ->> 'reserved')::numeric + coalesce(m.reserved, 0),
             'promotional', (b.state ->> 'promotional')::numeric + coalesce(m.promotional, 0)) as due
    from steps s
    left join lateral (
      select ledger_states.state from ledger_states
      where s.before is null and ledger_states.checkpoint = ${checkpoint} and ledger_states.kind = 'account'
        and ledger_states.id = s.owner offset 0) k on true
    cross join lateral (select coalesce(s.before, k.state) as state) b
    left join moves m on m.partition = s.partition and m.seq = s.seq and m.owner = s.owner
    where not s.is_rewritten and b.state is not null)
  select partition, seq, owner, due::text as expected, state::text as found from due where due <> state
  union all
  select m.partition, m.seq, m.owner,
         format('moved by posted %s reserved %s promotional %s', m.posted, m.reserved, m.promotional), 'left as it was'
  from moves m
  where (m.posted, m.reserved, m.promotional) <> (0, 0, 0)
    and not exists (select from steps s where s.partition = m.partition and s.seq = m.seq and s.owner = m.owner)`
