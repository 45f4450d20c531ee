import { randomBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { WithdrawalTicket } from '@farebox/wire/withdrawals'
import type { Hex } from 'viem'
import { expect } from 'vitest'
import { freePort } from '../../../src/adapters/free-port.ts'
import type { TestChain } from '../../kit/chain/test-chain.ts'
import { type GatewayProcess, startGatewayProcess } from '../../kit/gateway/gateway-process.ts'
import { get } from '../../kit/network/http.ts'
import { until } from '../../kit/until.ts'
import { newWallet, signIn } from '../../kit/world/wallets.ts'
import { vaultTicket } from '../../kit/world/withdrawals.ts'
import { balanceOf, type Person } from '../../kit/world/world.ts'
import { withdraw } from '../kit.ts'
import { query } from './database.ts'
import { environmentOf } from './deployment.ts'
import { type Front, startFront } from './front.ts'
import { startMachine } from './machine.ts'

/** Bound of every wait, in ms. */
export const WAIT_MS = 60_000

/** Settings of a database's clients. */
const SESSION = `select rolsuper as super, ssl from pg_roles, pg_stat_ssl
  where rolname = current_user and pid = pg_backend_pid()`

/** The state that a withdrawal's ticket depends on. */
const WHY_NONE = `select review_causes, opened_at, clock_timestamp() as now,
  (select jsonb_agg(c) from (select * from reconciliations order by id desc limit 8) c) as checks,
  (select jsonb_agg(v) from vault_cursors v) as cursors, (select jsonb_agg(f) from chain_findings f) as findings
  from withdrawals where id = $1`

type Parts = { chain: TestChain; front: Front; gateways: readonly [GatewayProcess, GatewayProcess] }

/** A deployment in production. */
export type Site = Awaited<ReturnType<typeof openSite>>

/** Opens a deployment on an empty machine, to be made step by step by the commands of docs/operations.md. */
export async function openSite() {
  const machine = await startMachine()
  const passwords = { farebox_owner: secret(), farebox_gateway: secret() }
  const admin = newWallet()
  let session: Promise<string> | undefined
  const ended = [() => machine.stop()]
  const parts: Partial<Parts> = {}
  const part = <Name extends keyof Parts>(name: Name): Parts[Name] => {
    const found = parts[name]
    if (found === undefined) throw new Error(`The site has no ${name} yet.`)
    return found as Parts[Name]
  }
  const url = (role: keyof typeof passwords) => machine.database.url(role, passwords[role])
  const adminEnvironment = async () => {
    const { url: GATEWAY } = part('front')
    session ??= signIn(GATEWAY, admin)
    return { GATEWAY, TOKEN: await session }
  }
  return {
    machine,
    url,
    get chain() {
      return part('chain')
    },
    get front() {
      return part('front')
    },
    get gateways() {
      return part('gateways')
    },
    /** Ends something with the site. */
    atEnd: (end: () => Promise<void>) => void ended.push(end),
    async end(): Promise<void> {
      for (const end of ended.toReversed()) await end()
    },
    /** Makes the roles and the database; returns how a client of each role is connected. */
    async makeDatabase() {
      const { document, database } = machine
      for (const [role, password] of Object.entries(passwords))
        await query(database.superuser, document.take(`create role ${role}`, {}, { '...': password }))
      await query(database.superuser, document.take('create database farebox'))
      return Promise.all([query(url('farebox_owner'), SESSION), query(url('farebox_gateway'), SESSION)])
    },
    /** Adds the chain, and the settings of its vault. */
    addChain(chain: TestChain): void {
      parts.chain = chain
      ended.push(() => chain.stop())
    },
    /** Migrates the schema as its owner. */
    migrate: () =>
      machine.operate('npm run migrate', { values: { MIGRATION_DATABASE_URL: url('farebox_owner') } }),
    /** Keeps the secrets of gateways, those that are not given fresh ones. */
    async keepSecrets(given: { TICKET_SIGNER_KEY: string; JWT_SECRET?: string; ENCRYPTION_KEY?: string }) {
      const all = { DATABASE_URL: url('farebox_gateway'), JWT_SECRET: secret(), ENCRYPTION_KEY: secret() }
      for (const [name, value] of Object.entries(Object.assign(all, given))) await machine.keep(name, value)
    },
    /** Starts two gateways behind the balancer, with further settings. */
    async startGateways(settings: Readonly<Record<string, string>> = {}): Promise<void> {
      const ports = [await freePort(), await freePort()] as const
      const directory = join(machine.place, 'front')
      await mkdir(directory)
      const front = await startFront(directory, ports)
      ended.push(() => front.stop())
      const database = {
        url: url('farebox_gateway'),
        ownerUrl: machine.database.superuser.replace(/postgres$/, 'farebox'),
        drop: async () => undefined,
      }
      const start = (port: number) =>
        startGatewayProcess({
          chain: part('chain'),
          database,
          command: machine.document.take('npm start', machine.settings, {
            'PORT=8402 npm': `PORT=${port} exec npm`,
          }),
          env: Object.assign(environmentOf(machine, front.url, admin.address), settings),
        })
      const gateways = await Promise.all([start(ports[0]), start(ports[1])])
      ended.push(async () => {
        for (const gateway of gateways) await gateway.stop()
      })
      Object.assign(parts, { front, gateways })
    },
    /** Returns the address of the balancer and the session of an admin. */
    adminEnvironment,
    /** Runs a documented request of an admin, and returns its answer. */
    async ask(words: string, more: Readonly<Record<string, string>> = {}): Promise<Record<string, unknown>> {
      const env = Object.assign(await adminEnvironment(), more)
      return JSON.parse(await machine.operate(words, { env })) as Record<string, unknown>
    },
    ...operations(part),
  }
}

const secret = () => randomBytes(32).toString('hex')

/** What operators and callers do with a deployment. */
function operations(part: <Name extends keyof Parts>(name: Name) => Parts[Name]) {
  /** The balancer, as callers see it. */
  const on = () => ({ url: part('front').url, chain: part('chain') })
  const untilServed = () =>
    until(
      'the balancer answers',
      async () => (await fetch(`${part('front').url}/ready`)).status === 200,
      WAIT_MS,
    )
  /** Waits until tickets are issued without a review. */
  const untilTicketing = (provider: Person) =>
    until(
      'tickets are issued',
      async () => {
        const path = '/providers/withdrawals/capability'
        const { body } = await get<{ isAutoApprovalOn: boolean }>(on(), path, { token: provider.token })
        return body.isAutoApprovalOn
      },
      WAIT_MS,
    )
  return {
    on,
    untilServed,
    /** Opens a withdrawal once tickets are issued; returns its ticket, or throws why it has none. */
    async ticketFor(provider: Person, amountUsdc: string, key?: string): Promise<WithdrawalTicket> {
      await untilTicketing(provider)
      const { ticket, withdrawalId } = await withdraw(on(), provider, amountUsdc, key)
      if (ticket !== null) return ticket
      const [why] = await part('gateways')[0].sql(WHY_NONE, [withdrawalId])
      throw new Error(`There is no ticket: ${JSON.stringify(why)}`)
    },
    /** Redeems all open tickets of a provider at the vault, and waits until they are booked. */
    async redeem(provider: Person, ...tickets: readonly WithdrawalTicket[]): Promise<void> {
      for (const ticket of tickets) await part('chain').redeem(vaultTicket(ticket), ticket.signature as Hex)
      await until('it is booked', async () => (await balanceOf(on(), provider)).locked === 0n, WAIT_MS)
    },
    /** Stops both gateways in order. */
    async stopAll(): Promise<void> {
      const all = await Promise.all(part('gateways').map(gateway => gateway.sigterm()))
      expect(all.map(({ code }) => code)).toEqual([0, 0])
    },
    async startAll(): Promise<void> {
      await Promise.all(part('gateways').map(gateway => gateway.restart()))
      await untilServed()
    },
  }
}
