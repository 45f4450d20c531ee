import type { ErrorBody } from '@farebox/wire/errors'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { z } from 'zod'
import type { Operation } from '../../src/http/openapi/contract.ts'
import { type JsonSchema, toSchema } from '../../src/http/openapi/openapi-schemas.ts'
import { startTestGateway, type TestGateway } from '../kit/gateway/test-gateway.ts'
import { type Callers, inviteCallers } from '../kit/world/callers.ts'
import { newWallet } from '../kit/world/wallets.ts'

const UNKNOWN = 'noSuchMember'
const WALK_TIMEOUT_MS = 120_000

/** Operations whose bodies neither limit nor direct money, or that have a reason to take more than they know. */
const TOLERANT: Readonly<Record<string, string>> = {
  verifyChallenge: 'Signs in.',
  updateProfile: 'About a person.',
  verifyEmailCode: 'About a person.',
  resendEmailCode: 'About a person.',
  openDeposit: 'The chain alone says what is credited to whom.',
  confirmDeposit: 'Hints of older clients; the chain alone decides.',
  searchServices: 'Reads.',
  draftService: 'Drafts a manifest; nothing is registered.',
  submitFeedback: 'A report.',
  createTopic: 'The forum.',
  createReply: 'The forum.',
  closeSupportTask: 'The forum.',
  invokeService: 'Clients send members of their own; only those that look like a cap or a key are refused.',
  reportUsage: "A provider sends the usage object of its model as it is, in any dialect's words.",
  createChatCompletion: "OpenAI's API.",
  createResponse: "OpenAI's API.",
  createCompletion: "OpenAI's API.",
  createEmbeddings: "OpenAI's API.",
  createMessage: "Anthropic's API.",
  countMessageTokens: "Anthropic's API.",
  verifyX402Payment: 'Clients of x402 send the terms whole; only the signed authorization moves money.',
  settleX402Payment: 'As above.',
  callMcp: 'JSON-RPC.',
  registerOauthClient: 'RFC 7591: metadata that is unknown is ignored.',
  redeemOauthCode: 'RFC 6749: unknown parameters are ignored.',
  revokeOauthToken: 'RFC 7009, as above.',
}

let gateway: TestGateway
let callers: Callers

vi.setConfig({ testTimeout: WALK_TIMEOUT_MS })

beforeAll(async () => {
  const admin = newWallet()
  gateway = await startTestGateway({ env: { ADMIN_WALLETS: admin.address } })
  callers = await inviteCallers(gateway, admin)
})
afterAll(() => gateway.stop())

const bodyOf = ({ contract, schema }: Operation): z.ZodType | undefined => contract.body ?? schema.body
const withBody = () => gateway.gateway.operations.all.filter(operation => bodyOf(operation) !== undefined)
const limitingMoney = () => withBody().filter(({ contract: { id } }) => TOLERANT[id] === undefined)

type Step = string | 'each item'

/** Ways to every object in a body that has members of its own. Maps of anything have none. */
function objectsIn(schema: JsonSchema, way: readonly Step[] = []): (readonly Step[])[] {
  const branches = [schema.anyOf, schema.oneOf, schema.allOf].flat().filter(isSchema)
  const properties = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>)
  return [
    ...(schema.properties === undefined ? [] : [way]),
    ...branches.flatMap(branch => objectsIn(branch, way)),
    ...properties.flatMap(([name, of]) => objectsIn(of, [...way, name])),
    ...(isSchema(schema.items) ? objectsIn(schema.items, [...way, 'each item']) : []),
  ]
}

const isSchema = (value: unknown): value is JsonSchema => typeof value === 'object' && value !== null

const bodyWithUnknown = (way: readonly Step[]): unknown =>
  way.reduceRight<unknown>((inner, step) => (step === 'each item' ? [inner] : { [step]: inner }), {
    [UNKNOWN]: 1,
  })

async function send({ method, url, contract: { access } }: Operation, body: unknown): Promise<ErrorBody> {
  const answer = await fetch(`${gateway.url}${url.replaceAll(/:[A-Za-z]+/g, 'none')}`, {
    method,
    headers: { ...callers.admitted[access], 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return (await answer.json()) as ErrorBody
}

test('rejects and names unknown members of a body that limits or directs money, at every depth', async () => {
  const tried: string[] = []
  for (const operation of limitingMoney()) {
    const body = bodyOf(operation)
    if (body === undefined) continue
    for (const way of objectsIn(toSchema(body, 'input', new Map()))) {
      const { code, message } = await send(operation, bodyWithUnknown(way))
      expect([operation.contract.id, ...way, code, message]).toEqual([
        operation.contract.id,
        ...way,
        'INVALID_REQUEST',
        expect.stringContaining(UNKNOWN),
      ])
      tried.push([operation.contract.id, ...way].join('.'))
    }
  }
  expect(tried).toEqual(
    expect.arrayContaining([
      'issueCredential',
      'updateCredential',
      'updateCredentialQuota',
      'rotateCredential',
      'issueProviderSecret',
      'setSpendingPolicy',
      'openWithdrawal',
      'completeWithdrawal',
      'registerService',
      'registerService.pricing',
      'registerService.invoke.targets.each item',
      'updateService',
      'updateService.pricing',
      'createWebhook',
      'updateWebhook',
      'redeemVoucher',
      'createVouchers',
      'approveWithdrawal',
      'rejectWithdrawal',
    ]),
  )
})

test('lists only existing operations as tolerant of unknown members', () => {
  const ids = withBody().map(({ contract: { id } }) => id)
  expect(Object.keys(TOLERANT).filter(id => !ids.includes(id))).toEqual([])
})
