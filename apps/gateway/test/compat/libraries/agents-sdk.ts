import {
  Agent,
  run,
  setDefaultOpenAIClient,
  setOpenAIAPI,
  setTracingDisabled,
  tool,
  type Usage,
  user,
} from '@openai/agents'
import OpenAI from 'openai'
import { type Account, crossing, type Libraries, type Library, listOf, readFare, sumOf } from './library.ts'

/** The OpenAI Agents SDK with both of OpenAI's APIs. Its settings are those of the process. */
export const agentsSdk: Libraries = {
  'OpenAI Agents SDK, chat completions': account => libraryOf(account, 'chat_completions'),
  'OpenAI Agents SDK, responses': account => libraryOf(account, 'responses'),
}

function libraryOf(
  { url, apiKey, chatModel: model }: Account,
  api: 'chat_completions' | 'responses',
): Library {
  setTracingDisabled(true)
  setDefaultOpenAIClient(new OpenAI({ baseURL: `${url}/v1`, apiKey }))
  setOpenAIAPI(api)
  const ferryman = new Agent({ name: 'Ferryman', instructions: 'You row.', model })
  return {
    async ask(prompt) {
      const { finalOutput, rawResponses } = await run(ferryman, prompt)
      return { value: finalOutput ?? '', ...countsOf(rawResponses) }
    },
    async stream(prompt) {
      const streamed = await run(ferryman, prompt, { stream: true })
      const value = await listOf(streamed.toTextStream())
      await streamed.completed
      return { value, ...countsOf(streamed.rawResponses) }
    },
    async useTool(prompt) {
      const { name, description, parameters, run: execute } = readFare
      const tools = [tool({ name, description, parameters, execute })]
      const { finalOutput, rawResponses } = await run(ferryman.clone({ tools }), prompt)
      return { value: finalOutput ?? '', ...countsOf(rawResponses) }
    },
    async converse(first, second) {
      const answered = await run(ferryman, first)
      const said = await run(ferryman, [...answered.history, user(second)])
      return {
        value: [answered.finalOutput ?? '', said.finalOutput ?? ''],
        ...countsOf([...answered.rawResponses, ...said.rawResponses]),
      }
    },
    async structured(prompt) {
      const agent = new Agent({ name: 'Clerk', model, outputType: crossing })
      const { finalOutput, rawResponses } = await run(agent, prompt)
      return { value: finalOutput, ...countsOf(rawResponses) }
    },
  }
}

function countsOf(responses: readonly { readonly usage: Usage }[]) {
  const counts = responses.map(({ usage }) => ({ input: usage.inputTokens, output: usage.outputTokens }))
  return sumOf(counts)
}
