const price = (amount: string) => ({ pricing: { currency: 'USDC' as const, amount } })

/** Services of the demo data. */
export const manifests = [
  {
    agentToolName: 'weather',
    serviceName: 'Weather now',
    summary: 'The weather of a city as it is at this moment, from 40,000 stations.',
    description:
      'Give a city or a position; get temperature, wind, rain and what the next hour brings.\n\nUpdated every minute. Units are metric unless asked otherwise.',
    tags: ['weather', 'data'],
    ...price('0.005000'),
    invoke: {
      request: {
        body: {
          type: 'object',
          required: ['city'],
          properties: {
            city: {
              type: 'string',
              title: 'City',
              description: 'Its name, as people there write it.',
              example: 'Lisbon',
            },
            hours: { type: 'integer', title: 'Hours ahead', minimum: 1, maximum: 48, default: 6 },
            units: { type: 'string', title: 'Units', enum: ['metric', 'imperial'] },
          },
        },
      },
    },
  },
  {
    agentToolName: 'geocode',
    serviceName: 'Geocoder',
    summary: 'Addresses to positions and back, for 190 countries.',
    tags: ['maps', 'data'],
    ...price('0.002000'),
  },
  {
    agentToolName: 'page-reader',
    serviceName: 'Page reader',
    summary: 'Opens a web page as a browser does and returns its text as Markdown.',
    tags: ['web', 'text'],
    ...price('0.010000'),
  },
  {
    agentToolName: 'translate',
    serviceName: 'Translator',
    summary: 'Translates text between 60 languages; keeps Markdown as it is.',
    tags: ['text', 'language'],
    ...price('0.012500'),
  },
  {
    agentToolName: 'company-data',
    serviceName: 'Company register',
    summary: 'Filings, officers and owners of 20 million European companies.',
    tags: ['data', 'finance'],
    ...price('0.080000'),
  },
  {
    agentToolName: 'ocr',
    serviceName: 'Document OCR',
    summary: 'Text, tables and handwriting out of scans and photographs.',
    tags: ['text', 'vision'],
    invoke: { encoding: 'multipart' },
    ...price('0.020000'),
  },
  {
    agentToolName: 'flight-status',
    serviceName: 'Flight status',
    summary: 'Where a flight is, and when it will be where it goes.',
    tags: ['travel', 'data'],
    ...price('0.015000'),
  },
] as const

const model = {
  serviceKind: 'llm',
  priceModel: 'token_metered',
  llmDialect: 'openai',
  modelFamily: 'ferry-7b',
  inputPricePer1MTokensUsdc: '2.50',
  outputPricePer1MTokensUsdc: '10',
  cacheReadPricePer1M: '0.25',
  cacheWritePricePer1M: '3.125',
} as const

/** Models of the demo data, in the order in which a request names them. The first is overloaded. */
export const models = [
  { agentToolName: 'ferry-large', serviceName: 'Ferry large', ...model },
  { agentToolName: 'ferry-small', serviceName: 'Ferry small', ...model },
] as const

/** Answers of the second model. */
export const modelAnswer = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1_763_900_000,
  model: 'ferry-small',
  choices: [{ index: 0, message: { role: 'assistant', content: 'The passenger.' }, finish_reason: 'stop' }],
  usage: {
    prompt_tokens: 60,
    completion_tokens: 3,
    total_tokens: 63,
    prompt_tokens_details: { cached_tokens: 48 },
  },
} as const

/** Forum topics of the demo data. */
export const topics = [
  {
    title: 'How do you budget agents that plan for hours?',
    category: 'agents',
    body: 'Ours calls about forty services for one report. A credential per report with a credit limit works, but I would like to hear how others do it.',
    reply:
      'One credential per task, credit limit at three times the usual cost, and a webhook on credential.exhausted.',
  },
  {
    title: 'Verifying signatures behind a CDN',
    category: 'providers',
    body: 'The CDN rewrites the authority, so our first check failed. Keep the original host in a header and verify against that.',
    reply: undefined,
  },
  {
    title: 'Prices per page or per document?',
    category: 'providers',
    body: 'We run an OCR service. Per page is fair, but agents cannot know the pages before they send the document.\n\nWhat would you rather call?',
    reply: 'Per document with a cap, please. Agents like to know what they pay.',
  },
] as const

/** Reports of the demo data, as tasks for support. */
export const reports = [
  {
    category: 'billing',
    sentiment: 'not_helpful',
    message: 'A call of Document OCR took two minutes and failed. Was it charged? I see a hold for it.',
  },
  {
    category: 'bug',
    sentiment: 'neutral',
    message: 'The Translator drops the last line of a table when it ends without a line feed.',
  },
  {
    category: 'abuse',
    sentiment: 'not_helpful',
    message: 'A service named like ours has come up, with our description. It is not ours.',
  },
] as const
