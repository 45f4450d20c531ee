import type { AnswerOf } from '@farebox/client'
import type { Snippet } from '../code-block.tsx'
import { isEmbeddings, namingModel, withInput } from './embeddings.ts'
import { exampleArguments, payloadOf } from './payload-shape.ts'
import { pythonOf } from './python-literal.ts'

export type Service = AnswerOf<'readMarketService'>['service']

const QUESTION = 'Who pays the ferryman?'

/**
 * Returns code that calls a service, complete except for the credential. `origin` is that of this gateway; `given` are
 * the arguments of the call instead of an example.
 */
export function snippetsOf(
  service: Service,
  origin: string,
  given: Readonly<Record<string, unknown>> = exampleOf(service),
): Snippet[] {
  const args = namingModel(service, given)
  const own = isEmbeddings(service)
    ? [embeddingsSnippet(origin, args), ...callSnippets(service, origin, args)]
    : service.serviceKind === 'llm'
      ? modelSnippets(service, origin)
      : callSnippets(service, origin, args)
  return [...own, { label: 'MCP', code: mcpSnippet(origin) }]
}

const exampleOf = (service: Service) => exampleArguments(isEmbeddings(service) ? withInput(service) : service)

/** Replaces the placeholders of a credential by its token: in the code that is shown, without its middle. */
export function withToken({ label, code }: Snippet, token: string): Snippet {
  return { label, code: fillIn(code, `agt_…${token.slice(-4)}`), copied: fillIn(code, token) }
}

/** Replaces the placeholders of a credential by its token. */
export function fillIn(code: string, token: string): string {
  return code
    .replaceAll('agt_...', token)
    .replaceAll('process.env.FAREBOX_CREDENTIAL', `'${token}'`)
    .replaceAll('os.environ["FAREBOX_CREDENTIAL"]', `"${token}"`)
}

/** Returns the settings of an MCP client, for which every service is a tool. */
export const mcpSnippet = (origin: string) => `{
  "mcpServers": {
    "farebox": {
      "url": "${origin}/mcp",
      "headers": { "Authorization": "Bearer agt_..." }
    }
  }
}`

/** Quotes a text for a shell. */
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/** Returns a call with the command line; `options` are those of `farebox invoke`. */
const cliSnippet = (origin: string, options: string): Snippet => ({
  label: 'CLI',
  code: `export FAREBOX_URL=${origin} FAREBOX_CREDENTIAL=agt_...
farebox invoke ${options}`,
})

/** Returns a call with the client; `call` is code that uses `agent`. */
const clientSnippet = (origin: string, call: string): Snippet => ({
  label: '@farebox/client',
  code: `import { createClient } from '@farebox/client'

const agent = createClient({ baseUrl: '${origin}', credential: process.env.FAREBOX_CREDENTIAL })
${call}`,
})

function embeddingsSnippet(origin: string, args: Readonly<Record<string, unknown>>): Snippet {
  return {
    label: 'OpenAI SDK',
    code: `import OpenAI from 'openai'

const openai = new OpenAI({ baseURL: '${origin}/v1', apiKey: process.env.FAREBOX_CREDENTIAL })
const { data } = await openai.embeddings.create(${JSON.stringify(args, null, 2)})
console.log(data[0].embedding)`,
  }
}

function callSnippets(service: Service, origin: string, args: Readonly<Record<string, unknown>>): Snippet[] {
  const { agentToolName, pricing } = service
  const costUsdc = 'amount' in pricing ? pricing.amount : undefined
  const payload = payloadOf(service, args)
  const body = { serviceId: agentToolName, costUsdc, payload }
  const json = JSON.stringify(body, null, 2)
  return [
    {
      label: 'curl',
      code: `curl ${origin}/api/v1/agent/invoke \\
  -H 'X-Credential: agt_...' \\
  -H "X-Idempotency-Key: $(openssl rand -hex 16)" \\
  -H 'Content-Type: application/json' \\
  -d ${indent(quoted(json), 2)}`,
    },
    cliSnippet(
      origin,
      `${agentToolName}${costUsdc === undefined ? '' : ` --cost ${costUsdc}`} \\
  --payload ${quoted(JSON.stringify(payload))}`,
    ),
    clientSnippet(
      origin,
      `const { result, chargedUsdc } = await agent.invokeService({
  body: ${indent(json, 2)},
})
console.log(result, chargedUsdc)`,
    ),
    {
      label: 'TypeScript',
      code: `const response = await fetch('${origin}/api/v1/agent/invoke', {
  method: 'POST',
  headers: {
    'x-credential': process.env.FAREBOX_CREDENTIAL,
    'x-idempotency-key': crypto.randomUUID(), // reuse the key on retry: the call is charged once
    'content-type': 'application/json',
  },
  body: JSON.stringify(${indent(json, 2)}),
})
const answer = await response.json()
if (!response.ok) throw new Error(\`\${answer.code}: \${answer.message}\`)
console.log(answer.result, answer.chargedUsdc)`,
    },
    {
      label: 'Python',
      code: `import os, uuid, httpx

response = httpx.post(
    "${origin}/api/v1/agent/invoke",
    headers={
        "X-Credential": os.environ["FAREBOX_CREDENTIAL"],
        "X-Idempotency-Key": str(uuid.uuid4()),  # reuse the key on retry: the call is charged once
    },
    json=${indent(pythonOf(body), 4)},
    timeout=120,
)
answer = response.json()
if response.is_error:
    raise SystemExit(f"{answer['code']}: {answer['message']}")
print(answer["result"], answer["chargedUsdc"])`,
    },
  ]
}

/** Returns code of a wallet that pays for a call with `usdc`, the token of this gateway, without an account. */
export function walletSnippet(
  service: Service,
  origin: string,
  usdc: string,
  args?: Readonly<Record<string, unknown>>,
): Snippet {
  const prompt = { messages: [{ role: 'user', content: QUESTION }] }
  const isModel = service.serviceKind === 'llm' && !isEmbeddings(service)
  const body = args ?? (isModel ? prompt : exampleOf(service))
  return {
    label: 'x402',
    code: `import { createClient } from '@farebox/client'
import { payWithX402 } from '@farebox/client/x402'
import { privateKeyToAccount } from 'viem/accounts'

const { response, chargedUsdc } = await payWithX402(createClient({ baseUrl: '${origin}' }), {
  account: privateKeyToAccount(process.env.WALLET_KEY), // holds USDC; no account or credential here
  service: '${service.agentToolName}',
  asset: '${usdc}',
  body: ${indent(JSON.stringify(body, null, 2), 2)},
  maxPaymentUsdc: '1',
})
console.log(await response.${isModel ? 'text' : 'json'}(), chargedUsdc)`,
  }
}

function modelSnippets(service: Service, origin: string): Snippet[] {
  const isAnthropic = 'llmDialect' in service && service.llmDialect === 'anthropic'
  return isAnthropic ? anthropicSnippets(service, origin) : openAiSnippets(service, origin)
}

function anthropicSnippets({ agentToolName }: Service, origin: string): Snippet[] {
  return [
    {
      label: 'Anthropic SDK',
      code: `import Anthropic from '@anthropic-ai/sdk'

const anthropic = new Anthropic({ baseURL: '${origin}', apiKey: process.env.FAREBOX_CREDENTIAL })
const message = await anthropic.messages.create({
  model: '${agentToolName}',
  max_tokens: 256,
  messages: [{ role: 'user', content: '${QUESTION}' }],
})
console.log(message.content[0].text)`,
    },
    ...modelClients(agentToolName, origin, 'createMessage', 'message.content[0].text'),
    aiSdkSnippet('createAnthropic', '@ai-sdk/anthropic', agentToolName, origin),
    {
      label: 'Python',
      code: `import os
from anthropic import Anthropic

client = Anthropic(base_url="${origin}", api_key=os.environ["FAREBOX_CREDENTIAL"])
message = client.messages.create(
    model="${agentToolName}",
    max_tokens=256,
    messages=[{"role": "user", "content": "${QUESTION}"}],
)
print(message.content[0].text)`,
    },
    {
      label: 'curl',
      code: `curl ${origin}/v1/messages \\
  -H 'X-Api-Key: agt_...' -H 'Anthropic-Version: 2023-06-01' \\
  -H 'Content-Type: application/json' \\
  -d '{"model": "${agentToolName}", "max_tokens": 256,
       "messages": [{"role": "user", "content": "${QUESTION}"}]}'`,
    },
  ]
}

function openAiSnippets({ agentToolName }: Service, origin: string): Snippet[] {
  return [
    {
      label: 'OpenAI SDK',
      code: `import OpenAI from 'openai'

const openai = new OpenAI({ baseURL: '${origin}/v1', apiKey: process.env.FAREBOX_CREDENTIAL })
const stream = await openai.chat.completions.create({
  model: '${agentToolName}',
  messages: [{ role: 'user', content: '${QUESTION}' }],
  stream: true,
})
for await (const chunk of stream) process.stdout.write(chunk.choices[0]?.delta.content ?? '')`,
    },
    ...modelClients(agentToolName, origin, 'createChatCompletion', 'message.choices[0].message.content'),
    aiSdkSnippet('createOpenAI', '@ai-sdk/openai', agentToolName, origin),
    {
      label: 'Python',
      code: `import os
from openai import OpenAI

client = OpenAI(base_url="${origin}/v1", api_key=os.environ["FAREBOX_CREDENTIAL"])
answer = client.chat.completions.create(
    model="${agentToolName}",
    messages=[{"role": "user", "content": "${QUESTION}"}],
)
print(answer.choices[0].message.content)`,
    },
    {
      label: 'curl',
      code: `curl ${origin}/v1/chat/completions \\
  -H 'Authorization: Bearer agt_...' \\
  -H 'Content-Type: application/json' \\
  -d '{"model": "${agentToolName}", "max_tokens": 256,
       "messages": [{"role": "user", "content": "${QUESTION}"}]}'`,
    },
  ]
}

/** Returns a model's call with the command line, and with the client by one of its operations. */
function modelClients(model: string, origin: string, operation: string, text: string): Snippet[] {
  return [
    cliSnippet(origin, `${model} --prompt ${quoted(QUESTION)}`),
    clientSnippet(
      origin,
      `const message = await agent.${operation}({
  body: {
    model: '${model}',
    max_tokens: 256,
    messages: [{ role: 'user', content: '${QUESTION}' }],
  },
})
console.log(${text})`,
    ),
  ]
}

/** Returns a call with the AI SDK; `create` is exported by the package `from`. */
function aiSdkSnippet(
  create: 'createAnthropic' | 'createOpenAI',
  from: string,
  model: string,
  origin: string,
): Snippet {
  return {
    label: 'AI SDK',
    code: `import { ${create} } from '${from}'
import { generateText } from 'ai'

const provider = ${create}({ baseURL: '${origin}/v1', apiKey: process.env.FAREBOX_CREDENTIAL })
const { text } = await generateText({
  model: provider${create === 'createOpenAI' ? '.chat' : ''}('${model}'),
  maxOutputTokens: 256,
  prompt: '${QUESTION}',
})
console.log(text)`,
  }
}

/** Indents all lines but the first. */
function indent(text: string, spaces: number): string {
  return text.replaceAll('\n', `\n${' '.repeat(spaces)}`)
}
