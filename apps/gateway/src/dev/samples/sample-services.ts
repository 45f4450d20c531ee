/** Members of a manifest that the samples use. */
export type SampleManifest = {
  readonly agentToolName: string
  readonly invoke: {
    readonly method: string
    readonly targets: readonly { readonly url: string; readonly weight: number }[]
    readonly timeoutMs?: number
    readonly request?: object
  }
  readonly [field: string]: unknown
}

/** The sample that costs nothing. */
export const FREE_SAMPLE = 'hello'

/** Maximum time of an answer of the sample LLM: at its usual speed, some thousand tokens. */
const LLM_TIMEOUT_MS = 120_000
const LLM = {
  serviceKind: 'llm',
  priceModel: 'token_metered',
  upstreamModel: 'farebox-sample-1',
  defaultMaxOutputTokens: 512,
  maxAutoHoldUsdc: '0.500000',
}

/**
 * Returns the manifests of development mode.
 *
 * @param urls.api of the sample provider, without a path
 * @param urls.llm of the sample LLM, without a path
 */
export function sampleManifests(urls: { api: string; llm: string }): SampleManifest[] {
  const post = (url: string) => ({ method: 'POST', targets: [{ url, weight: 1 }] })
  return [
    {
      agentToolName: FREE_SAMPLE,
      serviceName: 'Hello',
      summary: 'Greets a name. Free: the first call of a new agent.',
      tags: ['sample'],
      pricing: { currency: 'USDC', amount: '0' },
      invoke: {
        ...post(`${urls.api}/hello`),
        request: { type: 'object', properties: { name: { type: 'string', examples: ['Ada'] } } },
      },
    },
    {
      agentToolName: 'echo',
      serviceName: 'Echo',
      summary: 'Answers every call with what it was sent. The sample provider of development mode.',
      tags: ['sample'],
      pricing: { currency: 'USDC', amount: '0.010000' },
      invoke: post(urls.api),
    },
    {
      ...LLM,
      agentToolName: 'sample-llm',
      serviceName: 'Sample LLM',
      summary:
        'A ferryman who answers any prompt, by the OpenAI API: chat completions and responses, whole or streamed.',
      tags: ['sample', 'llm'],
      llmDialect: 'openai',
      inputPricePer1MTokensUsdc: '0.150000',
      outputPricePer1MTokensUsdc: '0.600000',
      invoke: { ...post(`${urls.llm}/v1/chat/completions`), timeoutMs: LLM_TIMEOUT_MS },
    },
    {
      ...LLM,
      agentToolName: 'sample-embeddings',
      serviceName: 'Sample Embeddings',
      summary: 'Vectors of texts, by the OpenAI API: texts with the same words are near to each other.',
      tags: ['sample', 'llm'],
      llmDialect: 'openai',
      inputPricePer1MTokensUsdc: '0.020000',
      outputPricePer1MTokensUsdc: '0',
      invoke: post(`${urls.llm}/v1/embeddings`),
    },
    {
      ...LLM,
      agentToolName: 'sample-messages',
      serviceName: 'Sample Messages',
      summary: 'The same ferryman by the Anthropic Messages API, whole or streamed.',
      tags: ['sample', 'llm'],
      llmDialect: 'anthropic',
      inputPricePer1MTokensUsdc: '3.000000',
      outputPricePer1MTokensUsdc: '15.000000',
      invoke: { ...post(`${urls.llm}/v1/messages`), timeoutMs: LLM_TIMEOUT_MS },
    },
  ]
}
