import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Provider,
  type ServiceGateway,
  startServiceFixture,
} from '../../../test/kit/gateway/service-gateway.ts'
import { refusal } from '../../../test/kit/network/http.ts'
import type { TestTarget } from '../../../test/kit/provider/test-target.ts'
import { llmManifestOf, manifestOf } from '../../../test/kit/world/manifests.ts'
import { readService } from './store.ts'

let on: ServiceGateway
let target: TestTarget
let alice: Provider
let stop: () => Promise<void>

beforeAll(async () => {
  ;({ on, target, alice, stop } = await startServiceFixture())
})
afterAll(() => stop())

const prices = { inputPricePer1MTokensUsdc: '3.000000', outputPricePer1MTokensUsdc: '15.000000' }
const assumed = {
  defaultMaxOutputTokens: 4_096,
  maxAutoHoldUsdc: '1.000000',
  holdBufferMultiplier: 1.2,
  mediaTokens: 2_000,
  contextTokens: null,
  modelFamily: null,
  inputModalities: null,
  cacheReadPricePer1M: null,
  cacheWritePricePer1M: null,
}

describe('registering an LLM service', () => {
  test('needs a kind and two prices; the rest has defaults shown to its owner', async () => {
    const service = await alice.register(llmManifestOf(target.url))
    expect(service).toMatchObject({
      serviceKind: 'llm',
      priceModel: 'token_metered',
      ...prices,
      ...assumed,
      llmDialect: 'openai',
      upstreamModel: null,
      outputLimitField: null,
      status: 'active',
      runtimeAvailable: true,
      invoke: { method: 'POST' },
    })
    expect(service.pricing).toEqual({ currency: 'USDC', ...prices })
  })

  test('takes every member, as numbers or text, with prices inside pricing', async () => {
    const service = await alice.register(
      llmManifestOf(target.url, {
        serviceKind: undefined,
        priceModel: 'token_metered',
        inputPricePer1MTokensUsdc: undefined,
        outputPricePer1MTokensUsdc: undefined,
        pricing: { currency: 'usdc', inputPricePer1MTokensUsdc: 0.15, outputPricePer1MTokensUsdc: '10000' },
        defaultMaxOutputTokens: 10_000_000,
        maxAutoHoldUsdc: 25,
        holdBufferMultiplier: '1.0001',
        llmDialect: 'anthropic',
        upstreamModel: 'claude-small-1',
        modelFamily: 'claude/small-1.5:fast_x',
        inputModalities: ['text', 'image', 'audio', 'video', 'file'],
        outputLimitField: 'max_completion_tokens',
        mediaTokens: 1,
        contextTokens: 10_000_000,
      }),
    )
    const given = { inputPricePer1MTokensUsdc: '0.150000', outputPricePer1MTokensUsdc: '10000.000000' }
    expect(service).toMatchObject({
      serviceKind: 'llm',
      priceModel: 'token_metered',
      ...given,
      pricing: given,
      defaultMaxOutputTokens: 10_000_000,
      maxAutoHoldUsdc: '25.000000',
      holdBufferMultiplier: 1.0001,
      llmDialect: 'anthropic',
      upstreamModel: 'claude-small-1',
      modelFamily: 'claude/small-1.5:fast_x',
      inputModalities: ['text', 'image', 'audio', 'video', 'file'],
      outputLimitField: 'max_completion_tokens',
      mediaTokens: 1,
      contextTokens: 10_000_000,
    })
  })

  test('accepts its own record as a change that changes nothing', async () => {
    const service = await alice.register(llmManifestOf(target.url, { upstreamModel: 'm-1' }))
    const { body } = await alice.ask('PUT', `/services/${service.serviceId}`, service)
    const { updatedAt: _, health: __, ...same } = service
    const targets = service.invoke.targets.map(({ lastCheckedAt: ___, ...target }) => target)
    expect(body.service).toMatchObject({ ...same, invoke: { ...same.invoke, targets } })
  })

  test('takes hold terms inside pricing; a price change keeps them, null clears them', async () => {
    const terms = { defaultMaxOutputTokens: 64, maxAutoHoldUsdc: '0.25', holdBufferMultiplier: 1.5 }
    const reported = { ...terms, maxAutoHoldUsdc: '0.250000' }
    const prices = { inputPricePer1MTokensUsdc: '1', outputPricePer1MTokensUsdc: '2' }
    const manifest = llmManifestOf(target.url, {
      inputPricePer1MTokensUsdc: undefined,
      outputPricePer1MTokensUsdc: undefined,
      pricing: { ...prices, ...terms },
    })
    const service = await alice.register(manifest)
    expect(service).toMatchObject(reported)
    const path = `/services/${service.serviceId}`
    const repriced = await alice.ask('PUT', path, { pricing: { ...prices, inputPricePer1MTokensUsdc: '3' } })
    expect(repriced.body.service).toMatchObject(reported)
    const cleared = await alice.ask('PUT', path, { pricing: { ...prices, maxAutoHoldUsdc: null } })
    expect(cleared.body.service).toMatchObject({
      ...reported,
      scheduledPricing: { maxAutoHoldUsdc: '1.000000' },
    })
  })

  test.each([
    ['a contradiction', { priceModel: 'fixed' }, 'priceModel'],
    ['an unknown kind', { serviceKind: 'agent' }, 'serviceKind'],
    ['an unknown price model', { priceModel: 'flat' }, 'priceModel'],
    ['no input price', { inputPricePer1MTokensUsdc: undefined }, 'inputPricePer1MTokensUsdc'],
    ['no output price', { outputPricePer1MTokensUsdc: null }, 'outputPricePer1MTokensUsdc'],
    ['a price that is too high', { inputPricePer1MTokensUsdc: '10000.000001' }, 'inputPricePer1MTokensUsdc'],
    ['a negative price', { outputPricePer1MTokensUsdc: '-1' }, 'outputPricePer1MTokensUsdc'],
    ['a price with seven decimals', { inputPricePer1MTokensUsdc: '0.0000001' }, 'inputPricePer1MTokensUsdc'],
    ['two prices in two places', { pricing: { inputPricePer1MTokensUsdc: '4' } }, 'pricing.inputPrice'],
    ['a price per call', { pricing: { amount: '0.01' } }, 'pricing.amount'],
    [
      'two caps in two places',
      { maxAutoHoldUsdc: '1', pricing: { maxAutoHoldUsdc: '2' } },
      'pricing.maxAutoHoldUsdc',
    ],
    ['another currency', { pricing: { currency: 'EUR' } }, 'currency'],
    ['GET', { invoke: { method: 'GET', targets: [{ url: 'http://a.test/' }] } }, 'invoke.method'],
    ['defaultMaxOutputTokens 0', { defaultMaxOutputTokens: 0 }, 'defaultMaxOutputTokens'],
    ['defaultMaxOutputTokens 1.5', { defaultMaxOutputTokens: 1.5 }, 'defaultMaxOutputTokens'],
    [
      'a defaultMaxOutputTokens that is too high',
      { defaultMaxOutputTokens: 10_000_001 },
      'defaultMaxOutputTokens',
    ],
    ['a negative maxAutoHoldUsdc', { maxAutoHoldUsdc: '-1' }, 'maxAutoHoldUsdc'],
    ['holdBufferMultiplier 0.9999', { holdBufferMultiplier: 0.9999 }, 'holdBufferMultiplier'],
    ['holdBufferMultiplier 10.0001', { holdBufferMultiplier: '10.0001' }, 'holdBufferMultiplier'],
    ['holdBufferMultiplier 1.23456', { holdBufferMultiplier: 1.23456 }, 'holdBufferMultiplier'],
    ['an unknown dialect', { llmDialect: 'gemini' }, 'llmDialect'],
    ['mediaTokens of 0', { mediaTokens: 0 }, 'mediaTokens'],
    ['contextTokens over 10 million', { contextTokens: 10_000_001 }, 'contextTokens'],
    ['an unknown outputLimitField', { outputLimitField: 'max_length' }, 'outputLimitField'],
    ['an empty upstreamModel', { upstreamModel: '' }, 'upstreamModel'],
    ['a blank upstreamModel', { upstreamModel: ' ' }, 'upstreamModel'],
    ['an upstreamModel of 201 characters', { upstreamModel: 'm'.repeat(201) }, 'upstreamModel'],
    ['an upstreamModel with NUL', { upstreamModel: 'm\0' }, 'upstreamModel'],
    ['a modelFamily in capital letters', { modelFamily: 'Llama' }, 'modelFamily'],
    ['an empty modelFamily', { modelFamily: '' }, 'modelFamily'],
    ['no inputModalities', { inputModalities: [] }, 'inputModalities'],
    ['an unknown input modality', { inputModalities: ['text', 'smell'] }, 'inputModalities'],
    ['a duplicate input modality', { inputModalities: ['text', 'text'] }, 'inputModalities'],
    ['a modelFamily of 101 characters', { modelFamily: 'm'.repeat(101) }, 'modelFamily'],
  ])('INVALID_MANIFEST naming the member for %s', async (_, more, named) => {
    const answer = await alice.ask('POST', '/services', llmManifestOf('http://a.test/', more))
    expect(answer).toMatchObject(refusal('INVALID_MANIFEST', 400))
    expect(JSON.stringify(answer.body)).toContain(named)
  })

  test.each([
    ['inputPricePer1MTokensUsdc', '1'],
    ['outputPricePer1MTokensUsdc', '1'],
    ['defaultMaxOutputTokens', 1],
    ['maxAutoHoldUsdc', '1'],
    ['holdBufferMultiplier', 1.2],
    ['llmDialect', 'openai'],
    ['upstreamModel', 'm'],
    ['modelFamily', 'm'],
    ['inputModalities', ['text']],
    ['mediaTokens', 1],
    ['contextTokens', 1],
  ])('INVALID_MANIFEST with a reason for an api service with %s', async (name, value) => {
    const answer = await alice.ask('POST', '/services', manifestOf(target.url, { [name]: value }))
    expect(answer).toMatchObject(refusal('INVALID_MANIFEST', 400))
    expect(answer.body.message).toBe(`${name}: Is only for services of serviceKind llm, priced per token.`)
  })
})

describe('changing an LLM service', () => {
  test('replaces the given members, keeps the rest, and makes each change a version', async () => {
    const { serviceId } = await alice.register(llmManifestOf(target.url, { upstreamModel: 'm-1' }))
    const path = `/services/${serviceId}`
    const first = await alice.ask('PUT', path, { inputPricePer1MTokensUsdc: '2', maxAutoHoldUsdc: '0.5' })
    expect(first.body.service).toMatchObject({
      ...prices,
      inputPricePer1MTokensUsdc: '2.000000',
      upstreamModel: 'm-1',
      ...assumed,
      maxAutoHoldUsdc: '0.500000',
    })
    const pricing = { inputPricePer1MTokensUsdc: '1', outputPricePer1MTokensUsdc: '6' }
    const second = await alice.ask('PUT', path, { pricing, upstreamModel: null, maxAutoHoldUsdc: null })
    expect(second.body.service).toMatchObject({
      inputPricePer1MTokensUsdc: '1.000000',
      outputPricePer1MTokensUsdc: '6.000000',
      ...assumed,
      maxAutoHoldUsdc: '0.500000',
      upstreamModel: null,
      scheduledPricing: { maxAutoHoldUsdc: assumed.maxAutoHoldUsdc },
    })
    const third = await alice.ask('PUT', path, { invoke: { targets: [{ url: target.url, weight: 2 }] } })
    expect(third.body.service).toMatchObject({ inputPricePer1MTokensUsdc: '1.000000' })
    expect(await readService(on.deps.db, serviceId)).toMatchObject({ version: 4n })
  })

  test.each([
    ['another kind', { serviceKind: 'api', pricing: { amount: '1' } }, 'Cannot be changed'],
    ['another price model', { priceModel: 'fixed' }, 'Cannot be changed'],
    ['a price per call', { pricing: { amount: '1' } }, 'pricing.amount'],
    [
      'one price inside pricing',
      { pricing: { inputPricePer1MTokensUsdc: '1' } },
      'outputPricePer1MTokensUsdc',
    ],
    [
      'a method that is not POST',
      { invoke: { method: 'PUT', targets: [{ url: 'http://a.test/' }] } },
      'POST',
    ],
    ['a price of null', { inputPricePer1MTokensUsdc: null }, 'inputPricePer1MTokensUsdc'],
  ])('INVALID_MANIFEST for %s, and nothing changes', async (_, changes, named) => {
    const { serviceId } = await alice.register(llmManifestOf(target.url))
    const answer = await alice.ask('PUT', `/services/${serviceId}`, changes)
    expect(answer).toMatchObject(refusal('INVALID_MANIFEST', 400))
    expect(answer.body.message).toContain(named)
    expect(await readService(on.deps.db, serviceId)).toMatchObject({ version: 1n })
  })

  test('is constrained to one of the two kinds by the database', async () => {
    const { serviceId: llm } = await alice.register(llmManifestOf(target.url))
    const { serviceId: api } = await alice.register(manifestOf(target.url))
    for (const statement of [
      sql`update services set price = 1 where id = ${llm}`,
      sql`update services set input_price = null where id = ${llm}`,
      sql`update services set method = 'GET' where id = ${llm}`,
      sql`update services set service_kind = 'api', price_model = 'fixed' where id = ${llm}`,
      sql`update services set price_model = 'fixed' where id = ${llm}`,
      sql`update services set hold_buffer_bps = 9999 where id = ${llm}`,
      sql`update services set output_price = 10000000001 where id = ${llm}`,
      sql`update services set input_price = 1 where id = ${api}`,
      sql`update services set upstream_model = 'm' where id = ${api}`,
      sql`update services set model_family = 'm' where id = ${api}`,
      sql`update services set model_family = 'M' where id = ${llm}`,
      sql`update services set input_modalities = array['text'] where id = ${api}`,
      sql`update services set input_modalities = array['smell'] where id = ${llm}`,
      sql`update services set context_tokens = 1 where id = ${api}`,
      sql`update services set service_kind = 'llm', price_model = 'token_metered' where id = ${api}`,
    ]) {
      await expect(on.deps.db.query(statement)).rejects.toThrow(/check constraint/)
    }
  })
})

describe('finding an LLM service', () => {
  test('shows it in discover as the interface lists it, without its upstreamModel', async () => {
    const manifest = llmManifestOf(target.url, {
      serviceName: 'Listed Model',
      tags: ['text'],
      upstreamModel: 'hidden-1',
      modelFamily: 'listed-8b',
      inputModalities: ['text', 'image'],
    })
    const { serviceId } = await alice.register(manifest)
    const { body } = await on.ask('GET', '/services/discover?search_query=listed-8b')
    const entry = {
      serviceId,
      serviceName: 'Listed Model',
      agentToolName: 'listed-model',
      summary: 'Writes on.',
      description: '',
      tags: ['text'],
      serviceKind: 'llm',
      priceModel: 'token_metered',
      ...prices,
      ...assumed,
      llmDialect: 'openai',
      modelKind: 'chat',
      modelFamily: 'listed-8b',
      inputModalities: ['text', 'image'],
      pricing: { currency: 'USDC', ...prices },
      status: 'active',
      isActive: true,
      runtimeAvailable: true,
      targetVerified: false,
    }
    expect(body).toEqual([entry])
    const stranger = await on.ask('GET', `/services/${serviceId}`)
    expect(stranger.body.service).toEqual(entry)
  })

  test('says wherever it is shown that it makes embeddings, by its targets, whatever its prices', async () => {
    const model = {
      serviceName: 'Vectors of 8b',
      invoke: { targets: [{ url: `${target.url}/v1/embeddings?v=1` }] },
    }
    const { serviceId } = await alice.register(llmManifestOf(target.url, model))
    const kindsAt = async (path: string) => {
      const { body } = await on.ask('GET', path)
      const { service, services } = body as { service?: object; services?: object[] }
      return [body, service, services]
        .flat()
        .flatMap(each => (each as { modelKind?: string } | undefined)?.modelKind ?? [])
    }
    for (const path of [`/services/${serviceId}`, '/services/discover?search_query=vectors'])
      expect(await kindsAt(path), path).toEqual(['embeddings'])
    const record = (await alice.ask('GET', `/services/${serviceId}`)).body.service as { modelKind: string }
    expect(record.modelKind).toBe('embeddings')
    // A record that was read can be sent back; its kind follows the targets.
    const chat = { ...record, invoke: { targets: [{ url: `${target.url}/v1/chat/completions` }] } }
    const changed = await alice.ask('PUT', `/services/${serviceId}`, chat)
    expect(changed.body.service).toMatchObject({ modelKind: 'chat' })
    expect(await kindsAt('/services/discover?search_query=vectors')).toEqual(['chat'])
  })
})
