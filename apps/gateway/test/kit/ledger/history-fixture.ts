import { usdc } from '@farebox/money'
import sql, { raw } from 'sql-template-tag'
import { lockBooks } from '../../../src/domains/ledger/lock-books.ts'
import type { Movement } from '../../../src/domains/ledger/rules.ts'
import type { Deps, Tx } from '../../../src/ports.ts'
import { newWallet } from '../world/wallets.ts'
import { creditWithoutChain } from './credit.ts'

const OWNERS = 3
const PROVIDERS = 2

/** One step of a history. Numbers select among existing items, modulo their count. */
export type Step =
  | { readonly kind: 'deposit'; readonly owner: number; readonly amount: number }
  | { readonly kind: 'hold'; readonly credential: number; readonly provider: number; readonly amount: number }
  | {
      readonly kind: 'end'
      readonly call: number
      readonly how: 'capture' | 'release' | 'await'
      readonly part: number
    }
  | { readonly kind: 'interval'; readonly credential: number }
  | { readonly kind: 'day'; readonly owner: number }
  | { readonly kind: 'withdraw'; readonly provider: number; readonly part: number }

type OpenCall = { id: string; credential: string; owner: string; provider: string; hold: bigint }

/** Books that change step by step like those of a gateway, by the ledger and plain SQL. */
export type HistoryFixture = {
  readonly owners: readonly string[]
  readonly providers: readonly string[]
  readonly credentials: readonly string[]
  step(step: Step): Promise<void>
  /** Holds and captures a call; returns its id. */
  paidCall(): Promise<string>
}

/** Creates the wallets and credentials of a history. */
export async function startHistory(deps: Deps): Promise<HistoryFixture> {
  const { db, ids } = deps
  const wallets = (count: number) => Array.from({ length: count }, () => newWallet().address.toLowerCase())
  const [owners, providers] = [wallets(OWNERS), wallets(PROVIDERS)]
  for (const wallet of [...owners, ...providers]) {
    await db.query(sql`insert into wallets (address, username) values (${wallet}, ${wallet})`)
  }
  for (const owner of owners) await db.query(sql`insert into spending_policies (owner) values (${owner})`)
  const holders = new Map(
    owners.flatMap(owner => [ids.next('cred'), ids.next('cred')].map(id => [id, owner])),
  )
  for (const [id, owner] of holders) {
    await db.query(sql`
      insert into credentials (id, owner, name, token_hash, rpm, reset_interval, interval_start)
      values (${id}, ${owner}, 'of a history', ${Buffer.from(id)}, 60, 'hourly', 'epoch')`)
  }
  const credentials = [...holders.keys()]
  const open: OpenCall[] = []

  /** Posts a movement. Returns its promotional part; null if it is not covered. */
  const post = async (tx: Tx, movement: Movement): Promise<bigint | null> => {
    const books = await lockBooks(tx, [movement])
    const promotional = books.promotionalOf(movement)
    if (!books.post(movement)) return null
    await books.write()
    return promotional
  }
  const deposit = (owner: string, amount: bigint) => creditWithoutChain(deps, owner, usdc(amount))
  const hold = (credential: string, provider: string, amount: bigint): Promise<OpenCall | null> =>
    db.transaction(async tx => {
      const [owner, id] = [holders.get(credential) ?? '', ids.next('inv')]
      const held = { kind: 'hold', wallet: owner, provider, amount: usdc(amount), reference: id } as const
      if ((await post(tx, held)) === null) return null
      await tx.query(sql`
        insert into invocations (id, credential_id, idempotency_key, request_hash, owner, provider, service_id,
          status, hold, drawn_at)
        select ${id}, c.id, ${id}, '', ${owner}, ${provider}, 'svc_' || right(${id}, 1), 'PENDING', ${amount},
               greatest(clock_timestamp(), c.interval_start, p.day_start)
        from credentials c join spending_policies p on p.owner = c.owner where c.id = ${credential}`)
      await tx.query(sql`insert into open_calls values (${id}, 'gw_history')`)
      await tx.query(sql`
        update credentials set calls_used = calls_used + 1, held = held + ${amount} where id = ${credential}`)
      await tx.query(sql`
        update spending_policies set month_drawn = month_drawn + ${amount}, day_drawn = day_drawn + ${amount}
        where owner = ${owner}`)
      return { id, credential, owner, provider, hold: amount }
    })
  const end = (call: OpenCall, charge: bigint | null): Promise<void> =>
    db.transaction(async tx => {
      const { id, owner, provider } = call
      const fee = charge === null ? 0n : charge / 10n
      const promotional = await post(
        tx,
        charge === null
          ? { kind: 'release', wallet: owner, amount: usdc(call.hold), reference: id }
          : {
              kind: 'capture',
              consumer: owner,
              provider,
              hold: usdc(call.hold),
              reference: id,
              charge: usdc(charge),
              fee: usdc(fee),
            },
      )
      await tx.query(sql`
        update invocations set status = ${charge === null ? 'FAILED_FINAL' : 'SUCCEEDED'},
          charged = ${charge ?? 0n}, fee = ${fee}, promotional = ${promotional ?? 0n},
          finished_at = clock_timestamp() where id = ${id}`)
      await tx.query(sql`delete from open_calls where invocation_id = ${id}`)
      await tx.query(sql`
        update credentials c set
          calls_used = calls_used - ${charge === null ? 1 : 0}::integer,
          held = held - case when i.drawn_at >= c.interval_start then i.hold else 0 end,
          spent = spent + case when i.drawn_at >= c.interval_start then i.charged else 0 end
        from invocations i where i.id = ${id} and c.id = i.credential_id`)
      await tx.query(sql`
        update spending_policies p set
          month_drawn = month_drawn - case when i.drawn_at >= month_start then i.hold - i.charged else 0 end,
          day_drawn = day_drawn - case when i.drawn_at >= day_start then i.hold - i.charged else 0 end
        from invocations i where i.id = ${id} and p.owner = i.owner`)
    })
  const pick = <Item>(items: readonly Item[], index: number): Item => items[index % items.length] as Item

  return {
    owners,
    providers,
    credentials,
    async step(step) {
      switch (step.kind) {
        case 'deposit':
          await deposit(pick(owners, step.owner), BigInt(step.amount))
          return
        case 'hold': {
          const of = [pick(credentials, step.credential), pick(providers, step.provider)] as const
          const call = await hold(...of, BigInt(step.amount))
          if (call !== null) open.push(call)
          return
        }
        case 'end': {
          const [call] = open.length === 0 ? [] : open.splice(step.call % open.length, 1)
          if (call === undefined) return
          if (step.how === 'await') {
            await db.query(sql`update invocations set status = 'PROCESSING' where id = ${call.id}`)
            open.push(call)
          } else await end(call, step.how === 'capture' ? (call.hold * BigInt(step.part)) / 100n : null)
          return
        }
        case 'interval':
          await db.query(sql`
            update credentials set interval_start = clock_timestamp(), spent = 0, held = 0
            where id = ${pick(credentials, step.credential)}`)
          return
        case 'day':
          await db.query(sql`
            update spending_policies set day_start = clock_timestamp(), day_drawn = 0
            where owner = ${pick(owners, step.owner)}`)
          return
        case 'withdraw':
          await db.transaction(async tx => {
            const wallet = pick(providers, step.provider)
            const id = ids.next('wd')
            const [row] = await tx.query<{ amount: bigint }>(sql`
              select (posted - reserved) * ${step.part} / 100 as amount from accounts
              where id = ${`provider:${wallet}`} for update`)
            const amount = usdc(row?.amount ?? 0n)
            if (amount === 0n) return
            const promotional = await post(tx, { kind: 'withdrawal-lock', wallet, amount, reference: id })
            await tx.query(sql`
              insert into withdrawals (id, wallet, amount, promotional, status, nonce)
              values (${id}, ${wallet}, ${amount}, ${promotional ?? 0n}, ${raw(`'PENDING_REVIEW'`)}, ${id})`)
          })
          return
      }
    },
    async paidCall() {
      await deposit(pick(owners, 0), 1_000n)
      const call = await hold(pick(credentials, 0), pick(providers, 0), 1_000n)
      if (call === null) throw new Error('A call that is paid for was not held.')
      await end(call, 1_000n)
      return call.id
    },
  }
}
