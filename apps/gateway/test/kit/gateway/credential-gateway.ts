import { type Usdc, usdc } from '@farebox/money'
import sql from 'sql-template-tag'
import type { App } from '../../../src/app.ts'
import type { ServiceNames } from '../../../src/domains/credentials/allowed-services.ts'
import { type AgentGuard, createAgentGuard } from '../../../src/domains/credentials/require-agent.ts'
import { credentialRoutes } from '../../../src/domains/credentials/routes.ts'
import { creditWithoutChain } from '../ledger/credit.ts'
import type { Member } from '../world/member.ts'
import { startPartialGateway } from './partial-gateway.ts'

/** An issued credential. */
export type TestCredential = { readonly id: string; readonly token: string }

/** Every name is a service, except those that begin with `unknown`. */
const services: ServiceNames = {
  findUnknown: async (_db, names) => names.filter(name => name.startsWith('unknown')),
}

/** Starts a gateway of credentials and spending policies on a database of its own. */
export async function startCredentialGateway() {
  let agents: AgentGuard | undefined
  const gateway = await startPartialGateway({
    routes: (app: App, deps) => {
      agents = createAgentGuard(deps)
      credentialRoutes(app, { ...deps, agents, services })
    },
  })
  if (agents === undefined) throw new Error('The routes were not registered.')
  const { deps } = gateway

  const owner = async (balance: Usdc = usdc(5_000_000n)): Promise<Member> => {
    const member = await gateway.member()
    if (balance > 0n) await creditWithoutChain(deps, member.wallet, balance)
    return member
  }

  return {
    ...gateway,
    agents,
    owner,
    /** Issues a credential over HTTP; throws if it is refused. */
    async issue(by: Member, body: object = {}): Promise<TestCredential> {
      const answer = await by.ask('POST', '/credentials/agent/issue', { name: 'agent', ...body })
      if (answer.status !== 200) throw new Error(`Not issued: ${JSON.stringify(answer.body)}`)
      return answer.body.credential as TestCredential
    },
    /** Returns every row of every table as text. */
    async dump(): Promise<string> {
      const tables = await deps.db.query<{ name: string }>(
        sql`select table_name as name from information_schema.tables
            where table_schema = 'public' and table_type = 'BASE TABLE' order by 1`,
      )
      const texts = await Promise.all(
        tables.map(({ name }) =>
          deps.db.query<{ text: string | null }>({
            text: `select string_agg(t::text, E'\\n') as text from "${name}" t`,
            values: [],
          }),
        ),
      )
      return texts.map(([row]) => row?.text ?? '').join('\n')
    },
  }
}

/** The gateway that {@link startCredentialGateway} starts. */
export type CredentialGateway = Awaited<ReturnType<typeof startCredentialGateway>>
