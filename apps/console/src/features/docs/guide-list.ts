type Entry = { readonly name: string; readonly label: string; readonly about: string }

/** The published documents in the order of reading; `name` is that of the file and of the page. */
export const guideSections: readonly { readonly title: string; readonly guides: readonly Entry[] }[] = [
  {
    title: 'Call',
    guides: [
      { name: 'models', label: 'Models', about: 'Holds, charges, streams, tokens and limits of LLM calls.' },
      {
        name: 'compatible-apis',
        label: 'OpenAI, Anthropic and MCP',
        about: 'Use an existing client with a base URL and a credential.',
      },
      { name: 'discovery', label: 'Finding services', about: 'How search matches and ranks.' },
      { name: 'x402', label: 'x402', about: 'Pay from a wallet without an account.' },
      { name: 'webhooks', label: 'Webhooks', about: 'Signed events of your wallet, sent to your server.' },
      { name: 'errors', label: 'Error codes', about: 'Every code, its meaning, and what to do.' },
      {
        name: 'reference',
        label: 'API reference',
        about: 'Every operation with its access, parameters, example and errors.',
      },
    ],
  },
  {
    title: 'Provide',
    guides: [
      {
        name: 'providers',
        label: 'For providers',
        about: 'Register an API or a model, verify requests, report usage.',
      },
    ],
  },
  {
    title: 'Trust',
    guides: [
      { name: 'proof', label: 'Proof', about: 'Check the books and the reserves yourself.' },
      { name: 'security', label: 'Security', about: 'Attacks, defences, and the tests that prove them.' },
      { name: 'reliability', label: 'Reliability', about: 'Failures, their outcomes, and their tests.' },
      { name: 'interface', label: 'The interface', about: 'Every promise of the API with its test.' },
    ],
  },
  {
    title: 'Operate',
    guides: [
      { name: 'operations', label: 'Operations', about: 'Settings, production, backup, keys and incidents.' },
      { name: 'observability', label: 'Observability', about: 'Metrics, alerts, traces and logs.' },
      { name: 'scaling', label: 'Scaling', about: 'Many gateways on one database, and its failover.' },
      { name: 'performance', label: 'Performance', about: 'Measurements, methods and results.' },
    ],
  },
]

/** All published documents, and their names. */
export const guideList: readonly Entry[] = guideSections.flatMap(({ guides }) => guides)
export const guideNames: readonly string[] = guideList.map(({ name }) => name)
