/** A target that refuses connections. */
export const UNREACHABLE = 'http://127.0.0.1:9/call'

/** Returns a manifest with the required members and a price. */
export const manifestOf = (url: string, more: object = {}) => ({
  serviceName: 'Weather',
  summary: 'Tells the weather.',
  pricing: { currency: 'USDC', amount: '0.05' },
  invoke: { method: 'POST', targets: [{ url }] },
  ...more,
})

/** Returns a manifest of an LLM service at 3 and 15 USDC per million tokens, with defaults otherwise. */
export const llmManifestOf = (url: string, more: object = {}) => ({
  serviceName: 'Small Model',
  summary: 'Writes on.',
  serviceKind: 'llm',
  inputPricePer1MTokensUsdc: '3',
  outputPricePer1MTokensUsdc: '15',
  invoke: { targets: [{ url }] },
  ...more,
})
