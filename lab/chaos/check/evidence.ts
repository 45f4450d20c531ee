import { reconcileAll, toText } from '../../kit/reconcile.ts'
import type { LabChain } from '../parts/chain.ts'
import type { LabDatabase } from '../parts/database.ts'
import type { Providers } from '../parts/providers.ts'
import type { Books, CallRow, PaidIn, PaidOut } from './books.ts'
import type { AskedCall } from './history.ts'

/** Reads the final events of the vault since the last call. */
export async function readFinalEvents(chain: LabChain): Promise<{ paidIn: PaidIn[]; paidOut: PaidOut[] }> {
  const paidIn: PaidIn[] = []
  const paidOut: PaidOut[] = []
  const { chainId } = chain.adapter.facts
  for (const event of await chain.finalEvents()) {
    if (event.kind === 'deposited') {
      const { owner: wallet, amount, txHash, logIndex } = event
      paidIn.push({ wallet, amount, txHash, reference: `${chainId}:${txHash}:${logIndex}` })
    } else {
      paidOut.push({ wallet: event.to, amount: event.amount, nonce: event.nonce })
    }
  }
  return { paidIn, paidOut }
}

/** Reads all that a round is checked against, past every line. */
export async function readBooks(parts: {
  database: LabDatabase
  chain: LabChain
  providers: Providers
  calls: readonly AskedCall[]
  events: { paidIn: readonly PaidIn[]; paidOut: readonly PaidOut[] }
}): Promise<Books> {
  const { database, chain, providers, calls, events } = parts
  const { sql } = database
  const [rows, credits, withdrawals, byCredential, accounts, open] = await Promise.all([
    readCalls(database, calls),
    sql<{ account: string; amount: string; reference: string }>(
      "select account, amount, reference from entries where kind = 'deposit' and amount > 0",
    ),
    sql<{ id: string; wallet: string; amount: string; status: string; nonce: string }>(
      'select id, wallet, amount, status, nonce from withdrawals',
    ),
    sql<{ id: string; calls: string; charged: string }>(
      'select credential_id as id, count(*) as calls, sum(charged)::bigint as charged from invocations group by 1',
    ),
    sql<{ id: string; posted: string; reserved: string }>('select id, posted, reserved from accounts'),
    sql<{ id: string; status: string }>(
      `select i.id, i.status from invocations i left join open_calls o on o.invocation_id = i.id
       where o.invocation_id is not null or i.status in ('PENDING', 'PROCESSING')`,
    ),
  ])
  return {
    calls: rows,
    arrivals: providers.takeArrivals(),
    usageOf: providers.usageOf,
    ...events,
    open,
    credits: credits.map(row => ({ ...row, amount: BigInt(row.amount) })),
    withdrawals: withdrawals.map(row => ({ ...row, amount: BigInt(row.amount) })),
    byCredential: new Map(
      byCredential.map(row => [row.id, { calls: Number(row.calls), charged: BigInt(row.charged) }]),
    ),
    accounts: new Map(
      accounts.map(row => [row.id, { posted: BigInt(row.posted), reserved: BigInt(row.reserved) }]),
    ),
    findings: [...(await findOwnChecks(database)), ...(await reconcileAll(database.url(), chain.adapter))],
  }
}

async function readCalls({ sql }: LabDatabase, calls: readonly AskedCall[]): Promise<CallRow[]> {
  const rows = await sql<{
    id: string
    call: string
    status: string
    charged: string
    http: number | null
    text: string | null
  }>(
    `select i.id, i.credential_id || ' ' || i.idempotency_key as call, i.status, i.charged,
            a.http_status as http, a.body as text
     from unnest($1::text[], $2::text[]) as asked (credential_id, idempotency_key)
     join invocations i using (credential_id, idempotency_key)
     left join invocation_answers a on a.invocation_id = i.id`,
    [calls.map(({ credentialId }) => credentialId), calls.map(({ body }) => String(body.idempotencyKey))],
  )
  return rows.map(({ http, text, charged, ...row }) => ({
    ...row,
    charged: BigInt(charged),
    answer: http === null || text === null ? null : { status: http, text },
  }))
}

/** Returns findings of the gateways' own checks, which would stop withdrawals. */
async function findOwnChecks({ sql }: LabDatabase): Promise<string[]> {
  const rows = await sql<{ findings: unknown }>('select findings from reconciliations where not consistent')
  return rows.map(({ findings }) => `a gateway's own check found ${toText(findings)}`)
}
