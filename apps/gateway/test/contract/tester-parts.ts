import { setTimeout } from 'node:timers/promises'
import { formatUsdc, usdc } from '@farebox/money'
import type { JsonSchema } from '../../src/http/openapi/openapi-schemas.ts'
import { type ChainInfo, onChain } from '../../src/tour/wallets.ts'
import { send } from '../kit/network/http.ts'
import { newWallet, signIn } from '../kit/world/wallets.ts'

type Wallet = ReturnType<typeof newWallet>
type Operation = {
  readonly operationId: string
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema: JsonSchema }[]
}
/** The parts of an OpenAPI document that describe requests. */
export type TestedDocument = { readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>> }
/** Values of the identifiers in an operation's path. */
type Ids = Readonly<Record<string, string>>

/** Ends the session that all other operations need. */
const LEFT_OUT: ReadonlySet<string> = new Set(['logout'])
const DEPOSIT = usdc(100_000_000n)
const CONFIRM_LOOKS_MAX = 100
const CONFIRM_LOOK_MS = 100

/** Input of Specmatic. */
export type TesterParts = { readonly document: object; readonly configuration: object }

/**
 * Creates what operations need, and converts the contract for Specmatic: identifiers in paths are existing ones, and
 * patterns use the syntax of its engine. The contract itself stays the same.
 *
 * @param on.document the published contract
 */
export async function prepareTester(on: {
  url: string
  admin: Wallet
  document: TestedDocument
}): Promise<TesterParts> {
  const adminToken = await signIn(on.url, on.admin)
  const owner = newWallet()
  const walletToken = await signIn(on.url, owner)
  const ask = asker(on.url)

  await deposit(on.url, owner, walletToken)
  const credential = async () =>
    member(
      await ask('POST', '/credentials/agent/issue', walletToken, { name: 'tester', rpm: 1_000_000 }),
      'credential',
    )
  const service = async () => {
    const manifest = {
      serviceName: 'Tested',
      pricing: { amount: '0.001' },
      invoke: { targets: [{ url: `${on.url}/health` }] },
    }
    return String((await ask('POST', '/services', walletToken, manifest)).serviceId)
  }
  const secret = async () =>
    member(
      await ask('POST', '/secrets/provider/issue', walletToken, { name: 'tester', rpm: 1_000_000 }),
      'secret',
    )
  const topic = async () => {
    const sent = { title: 'Tested', category: 'general', body: 'What is tested.' }
    return String(member(await ask('POST', '/forum/topics', walletToken, sent), 'topic').topicId)
  }
  const webhook = async () => {
    const sent = { url: `${on.url}/health`, events: ['deposit.credited'] }
    return String(member(await ask('POST', '/webhooks', walletToken, sent), 'webhook').id)
  }

  const agent = await credential()
  const served = await service()
  const provider = await secret()
  const talked = await topic()
  const hooked = await webhook()
  const lasting: Ids = { topicId: talked }
  const own: Record<string, Ids> = {}
  for (const id of [
    'readCredential',
    'updateCredential',
    'updateCredentialQuota',
    'rotateCredential',
    'revokeCredential',
    'deleteCredential',
  ]) {
    own[id] = { id: String((await credential()).credential_id) }
  }
  for (const id of ['readService', 'readHealthHistory', 'pingService', 'readProviderServiceHealth'])
    own[id] = { id: served }
  for (const id of ['updateService', 'deleteService', 'suspendService', 'resumeService'])
    own[id] = { id: await service() }
  for (const id of [
    'updateWebhook',
    'rotateWebhookSecret',
    'listWebhookDeliveries',
    'testWebhook',
    'replayWebhookDelivery',
  ]) {
    own[id] = { id: hooked }
  }
  own.deleteWebhook = { id: await webhook() }
  own.deleteProviderSecret = { id: String((await secret()).id) }
  for (const id of ['lockTopic', 'unlockTopic', 'removeTopic', 'pinTopic', 'unpinTopic'])
    own[id] = { topicId: await topic() }
  for (const id of ['suspendWallet', 'resumeWallet']) own[id] = { address: newWallet().address }

  return {
    document: adapted(on.document, (id, name) => own[id]?.[name] ?? lasting[name]),
    configuration: {
      version: 2,
      contracts: [{ provides: ['openapi.json'] }],
      test: { resiliencyTests: { enable: 'all' } },
      security: {
        OpenAPI: {
          securitySchemes: {
            walletToken: { type: 'bearer', token: walletToken },
            adminToken: { type: 'bearer', token: adminToken },
            agentCredential: { type: 'apiKey', value: agent.token },
            agentBearer: { type: 'bearer', token: agent.token },
            providerSecret: { type: 'bearer', token: provider.secretKey },
          },
        },
      },
    },
  }
}

type Body = Record<string, unknown>

const asker =
  (url: string) =>
  async (method: 'POST', path: string, token: string, body: object): Promise<Body> => {
    const answer = await send(url, `/api/v1${path}`, { method, token, body })
    if (answer.status !== 200) throw new Error(`${path}: ${JSON.stringify(answer.body)}`)
    return answer.body
  }

const member = (body: Body, name: string): Body => (body[name] ?? {}) as Body

/** Deposits money of the faucet in the vault. */
async function deposit(url: string, owner: Wallet, token: string): Promise<void> {
  const poured = await send(url, '/dev/faucet', { method: 'POST', body: { address: owner.address } })
  if (poured.status !== 200) throw new Error(`No faucet: ${JSON.stringify(poured.body)}`)
  const info = (await send<ChainInfo>(url, '/api/v1/chain')).body
  const tx_hash = await onChain(info).deposit(owner, DEPOSIT)
  const { intent } = await asker(url)('POST', '/balance/deposit/intent', token, {
    tx_hash,
    amount: formatUsdc(DEPOSIT),
  })
  for (let look = 0; look < CONFIRM_LOOKS_MAX; look += 1) {
    const path = `/api/v1/balance/deposit/intents/${(intent as Body).id}/confirm`
    if ((await send(url, path, { method: 'POST', token, body: {} })).status === 200) return
    await setTimeout(CONFIRM_LOOK_MS)
  }
  throw new Error('The deposit was not credited.')
}

function adapted(
  document: TestedDocument,
  idOf: (operation: string, name: string) => string | undefined,
): object {
  const { webhooks: _, ...rest } = structuredClone(document) as TestedDocument & { webhooks?: unknown }
  const paths = Object.entries(rest.paths).map(([path, methods]) => [
    path,
    Object.fromEntries(
      Object.entries(methods)
        .filter(([, { operationId }]) => !LEFT_OUT.has(operationId))
        .map(([method, operation]) => [method, withIds(operation, idOf)]),
    ),
  ])
  const kept = paths.filter(([, methods]) => Object.keys(methods ?? {}).length > 0)
  return inItsNotation({ ...rest, paths: Object.fromEntries(kept) }) as object
}

function withIds(
  operation: Operation,
  idOf: (operation: string, name: string) => string | undefined,
): Operation {
  const { operationId, parameters = [] } = operation
  return {
    ...operation,
    parameters: parameters.map(parameter => {
      const id = parameter.in === 'path' ? idOf(operationId, parameter.name) : undefined
      return id === undefined ? parameter : { ...parameter, schema: { type: 'string', enum: [id] } }
    }),
  }
}

/** Formats that imply more than the pattern beside them. */
const BOUNDED_BY_FORMAT: ReadonlySet<unknown> = new Set(['date-time', 'email', 'uri'])
const LOOK_AROUND = /\(\?[=!<]/
/** Any number of characters of one class: its engine takes minutes to generate the longest. */
const ANY_OF_A_CLASS = /^\^\[(?:\\.|[^\]\\])+\][*+]\$$/
/**
 * In answers: its engine takes minutes to parse their patterns, and generates no answers. The judge validates them with
 * the original patterns.
 */
const ANSWERED = /^(?:responses|headers|[A-Z]\w*(?<!Body))$/
/** Maximum length of generated text. */
const TEXT_LENGTH_MAX = 10_000

/**
 * Specmatic's patterns have no code point escapes or look-ahead, and a quotation mark begins a literal; its examples
 * are named pairs of request and answer, which we do not have.
 */
function inItsNotation(value: unknown, isAnswer = false): unknown {
  if (Array.isArray(value)) return value.map(item => inItsNotation(item, isAnswer))
  if (typeof value !== 'object' || value === null) return value
  const { example: _example, examples: _examples, ...reported } = value as JsonSchema
  const { pattern, format, ...rest } = bounded(reported)
  const others = Object.fromEntries(
    Object.entries(rest).map(([name, of]) => [name, inItsNotation(of, isAnswer || ANSWERED.test(name))]),
  )
  if (typeof pattern !== 'string')
    return { ...others, ...(format !== undefined && { format: inItsNotation(format, isAnswer) }) }
  const isReported =
    isAnswer || BOUNDED_BY_FORMAT.has(format) || LOOK_AROUND.test(pattern) || ANY_OF_A_CLASS.test(pattern)
  return {
    ...others,
    ...(format !== undefined && { format }),
    ...(!isReported && { pattern: plainPattern(pattern) }),
  }
}

function bounded(schema: JsonSchema): JsonSchema {
  const { maxLength, ...rest } = schema
  return maxLength === undefined || Number(maxLength) > TEXT_LENGTH_MAX ? rest : schema
}

function plainPattern(pattern: string): string {
  return pattern
    .replaceAll(/\\u([0-9a-fA-F]{4})|\\x([0-9a-fA-F]{2})/g, (_all, long, short) => {
      const character = String.fromCodePoint(Number.parseInt(long ?? short, 16))
      return /[[\]\\^$.|?*+(){}"-]/.test(character) ? `\\${character}` : character
    })
    .replaceAll(/(?<!\\)"/g, '\\"')
}
