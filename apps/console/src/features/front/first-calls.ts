import type { Snippet } from '../../ui/code-block.tsx'

/** Snippets of a first call with several clients. `origin` is that of this gateway. */
export function firstCalls(origin: string): Snippet[] {
  return [
    {
      label: 'curl',
      code: `curl ${origin}/api/v1/agent/invoke \\
  -H 'X-Credential: agt_...' \\
  -H 'Content-Type: application/json' \\
  -d '{
    "serviceId": "weather",
    "idempotencyKey": "question-1",
    "payload": { "body": { "city": "Lisbon" } }
  }'`,
    },
    {
      label: 'OpenAI SDK',
      code: `import OpenAI from 'openai'

const openai = new OpenAI({
  baseURL: '${origin}/v1',
  apiKey: 'agt_...', // a credential of yours
})

const answer = await openai.chat.completions.create({
  model: 'sample-llm', // any model of the market
  messages: [{ role: 'user', content: 'Who pays the ferryman?' }],
})`,
    },
    {
      label: 'MCP',
      code: `{
  "mcpServers": {
    "farebox": {
      "url": "${origin}/mcp",
      "headers": { "Authorization": "Bearer agt_..." }
    }
  }
}`,
    },
  ]
}
