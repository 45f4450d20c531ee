import type pg from 'pg'
import { ConfigError } from '../config.ts'

/**
 * Rights of the role that gateways run as: what their statements need, and no more. The role owns nothing, so it cannot
 * drop triggers, nor alter, truncate or drop tables; append-only tables allow only its inserts.
 */

const PRIVILEGES = ['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER'] as const
const SEQUENCE_PRIVILEGES = ['USAGE', 'SELECT'] as const
type Privilege = (typeof PRIVILEGES)[number] | (typeof SEQUENCE_PRIVILEGES)[number] | 'EXECUTE'

/** Schema of the job queue (graphile-worker). */
const QUEUE_SCHEMA = 'graphile_worker'
/** Tables that record migrations, ours and the job queue's: only the owner of the schema writes them. */
const MIGRATION_RECORDS: readonly string[] = ['schema_migrations', `${QUEUE_SCHEMA}.migrations`]

/** All tables that gateways delete from; a test compares them with the statements. */
export const DELETED_FROM: readonly string[] = [
  'account_sums',
  'alert_calls',
  'alert_mails',
  'alerts',
  'book_checkpoints',
  'call_refusals',
  'carried_calls',
  'challenges',
  'client_rates',
  'credential_sums',
  'earned_days',
  'forum_votes',
  'free_answers',
  'gateway_instances',
  'health_probes',
  'invocation_answers',
  'invocation_streams',
  'ledger_marks',
  'ledger_states',
  'liability_parts',
  'liability_trees',
  'mail_counts',
  'oauth_clients',
  'oauth_grants',
  'open_calls',
  'owner_sums',
  'pending_results',
  'ping_windows',
  'reconciliations',
  'revoked_sessions',
  'search_words',
  'service_calls',
  'service_targets',
  'signing_keys',
  'signing_secrets',
  'target_calls',
  'tool_names',
  'vault_deposits',
  'webhook_deliveries',
  'webhook_suppressions',
  'webhook_wakeups',
  'webhooks',
  'x402_sign_ins',
]

/** A table, view, sequence, function or schema, and a role's rights on it. */
type DatabaseObject = {
  /** `r` table, `p` partitioned table, `v` view, `S` sequence, `f` function, `n` schema. */
  readonly kind: string
  /** Name in SQL, quoted if needed, with its schema. */
  readonly name: string
  /** Without the schema if it is the gateway's own. */
  readonly label: string
  readonly held: readonly Privilege[]
  /** The role owns it or is a member of the owner: it has all rights, whatever is granted. */
  readonly isOwned: boolean
  /** The connection's role may grant rights on it. */
  readonly isGrantable: boolean
  /** A trigger refuses every change of its rows. */
  readonly isAppendOnly: boolean
  /** Row security is on, and no policy lets others than the owner see rows. */
  readonly hidesRows: boolean
}

/** Missing rights of a role, and rights beyond need. */
export type Rights = {
  readonly lacks: readonly { readonly on: DatabaseObject; readonly privileges: readonly Privilege[] }[]
  readonly exceeds: readonly { readonly on: DatabaseObject; readonly privileges: readonly Privilege[] }[]
  /** Tables that it owns, append-only ones first. */
  readonly owns: readonly string[]
}

/** Compares a role's rights in a migrated database with those that a gateway needs. */
export async function readRights(client: pg.ClientBase, role: string): Promise<Rights> {
  const objects = await readObjects(client, role)
  const others = objects.filter(({ isOwned }) => !isOwned)
  const difference = (of: (on: DatabaseObject) => readonly Privilege[]) =>
    others.map(on => ({ on, privileges: of(on) })).filter(({ privileges }) => privileges.length > 0)
  return {
    lacks: difference(on => needed(on).filter(privilege => !on.held.includes(privilege))),
    exceeds: difference(on => on.held.filter(privilege => !needed(on).includes(privilege))),
    owns: objects
      .filter(({ kind, isOwned }) => isOwned && (kind === 'r' || kind === 'p'))
      .toSorted((one, other) => Number(other.isAppendOnly) - Number(one.isAppendOnly))
      .map(({ label }) => label),
  }
}

/** Returns the rights on an object that a gateway needs. */
function needed({ kind, label, isAppendOnly }: DatabaseObject): readonly Privilege[] {
  if (kind === 'f') return ['EXECUTE']
  if (kind === 'n') return ['USAGE']
  if (kind === 'S') return SEQUENCE_PRIVILEGES
  if (kind === 'v' || MIGRATION_RECORDS.includes(label)) return ['SELECT']
  if (isAppendOnly) return ['SELECT', 'INSERT']
  const isDeletedFrom = label.startsWith(`${QUEUE_SCHEMA}.`) || DELETED_FROM.includes(label)
  return isDeletedFrom ? ['SELECT', 'INSERT', 'UPDATE', 'DELETE'] : ['SELECT', 'INSERT', 'UPDATE']
}

/** Throws a ConfigError unless a role exists. */
export async function requireRole(client: pg.ClientBase, role: string): Promise<void> {
  const found = await client.query('select 1 from pg_roles where rolname = $1', [role])
  if (found.rowCount === 0)
    throw new ConfigError(
      `Configuration: RUNTIME_ROLE: the role ${role} that gateways run as does not exist. Create it first (docs/operations.md, "Database roles").`,
    )
}

/**
 * Grants a role the rights of a gateway in a migrated database, and revokes all others; writes nothing if nothing
 * differs. Call it as the owner of the schema, in a transaction.
 */
export async function grantRights(client: pg.ClientBase, role: string): Promise<void> {
  const quoted = client.escapeIdentifier(role)
  const { lacks, exceeds } = await readRights(client, role)
  for (const { on, privileges } of exceeds.filter(({ on }) => on.isGrantable))
    await client.query(`revoke ${privileges.join(', ')} on ${sqlKind(on)} ${on.name} from ${quoted}`)
  for (const { on, privileges } of lacks.filter(({ on }) => on.isGrantable))
    await client.query(`grant ${privileges.join(', ')} on ${sqlKind(on)} ${on.name} to ${quoted}`)
  for (const { name, hidesRows, isGrantable } of await readObjects(client, role)) {
    // The job queue turns row security on without a policy, which hides its rows from others than the owner. Grants
    // decide instead.
    if (hidesRows && isGrantable)
      await client.query(`create policy rows_by_grant on ${name} using (true) with check (true)`)
  }
}

function sqlKind({ kind }: DatabaseObject): string {
  return { f: 'function', n: 'schema', S: 'sequence' }[kind] ?? 'table'
}

async function readObjects(client: pg.ClientBase, role: string): Promise<DatabaseObject[]> {
  const { rows } = await client.query<DatabaseObject>(
    `with schemas as (
       select n.oid, n.nspname, n.nspowner, n.nspname = $2 as is_queue from pg_namespace n
       where n.nspname = $2
          or n.oid = (select relnamespace from pg_class where oid = to_regclass('schema_migrations'))
     )
     select c.relkind::text as kind, format('%I.%I', s.nspname, c.relname) as name,
       case when s.is_queue then $2 || '.' else '' end || c.relname as label,
       case c.relkind
         when 'S' then array(select p from unnest($4::text[]) p where has_sequence_privilege($1, c.oid, p))
         else array(select p from unnest($3::text[]) p where has_table_privilege($1, c.oid, p))
       end as held,
       pg_has_role($1, c.relowner, 'MEMBER') as "isOwned",
       pg_has_role(c.relowner, 'USAGE') as "isGrantable",
       exists (select from pg_trigger t join pg_proc f on f.oid = t.tgfoid
               where t.tgrelid = c.oid and f.proname = 'refuse_change') as "isAppendOnly",
       c.relrowsecurity and not exists (select from pg_policy where polrelid = c.oid) as "hidesRows"
     from schemas s join pg_class c on c.relnamespace = s.oid and c.relkind in ('r', 'p', 'v', 'S')
     where not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
     union all
     select 'f', p.oid::regprocedure::text, p.proname,
       case when has_function_privilege($1, p.oid, 'EXECUTE') then array['EXECUTE'] else '{}' end,
       pg_has_role($1, p.proowner, 'MEMBER'), pg_has_role(p.proowner, 'USAGE'), false, false
     from schemas s join pg_proc p on p.pronamespace = s.oid and p.prokind = 'f'
     where not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
     union all
     select 'n', quote_ident(s.nspname), s.nspname,
       array(select p from unnest(array['USAGE', 'CREATE']) p where has_schema_privilege($1, s.oid, p)),
       pg_has_role($1, s.nspowner, 'MEMBER'), pg_has_role(s.nspowner, 'USAGE'), false, false
     from schemas s
     order by 1, 2`,
    [role, QUEUE_SCHEMA, PRIVILEGES, SEQUENCE_PRIVILEGES],
  )
  return rows
}
