import { ChatAnthropic } from '@langchain/anthropic'
import {
  AIMessage,
  type AIMessageChunk,
  HumanMessage,
  type ToolMessage,
  type UsageMetadata,
} from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'
import { ChatOpenAI } from '@langchain/openai'
import { type Account, crossing, type Libraries, type Library, listOf, readFare, sumOf } from './library.ts'

/** LangChain with OpenAI's and Anthropic's APIs. */
export const langChain: Libraries = {
  'LangChain, chat completions': on => libraryOf(chatOf(on, false)),
  'LangChain, responses': on => libraryOf(chatOf(on, true)),
  'LangChain, messages': ({ url: anthropicApiUrl, apiKey, messagesModel: model }) =>
    libraryOf(new ChatAnthropic({ model, apiKey, anthropicApiUrl })),
}

function chatOf({ url, apiKey, chatModel: model }: Account, useResponsesApi: boolean): ChatOpenAI {
  return new ChatOpenAI({ model, apiKey, useResponsesApi, configuration: { baseURL: `${url}/v1` } })
}

function libraryOf(model: ChatOpenAI | ChatAnthropic): Library {
  return {
    async ask(prompt) {
      const said = await model.invoke(prompt)
      return { value: said.text, ...countsOf(said) }
    },
    async stream(prompt) {
      const chunks: AIMessageChunk[] = await listOf(await model.stream(prompt))
      const value = chunks.map(({ text }) => text).filter(text => text !== '')
      const { input, output } = countsOf(chunks.reduce((whole, chunk) => whole.concat(chunk)))
      // It adds the output in `message_start` to that in `message_delta`, which contains it.
      const [first] = chunks
      const repeated = model instanceof ChatAnthropic && first !== undefined ? countsOf(first).output : 0
      return { value, input, output: output - repeated }
    },
    async useTool(prompt) {
      const { name, description, parameters: schema } = readFare
      const fare = tool(readFare.run, { name, description, schema })
      const equipped = model.bindTools([fare])
      const asked = new HumanMessage(prompt)
      const called = await equipped.invoke([asked])
      const results: ToolMessage[] = []
      for (const call of called.tool_calls ?? [])
        results.push(await fare.invoke({ ...call, type: 'tool_call' }))
      const said = await equipped.invoke([asked, called, ...results])
      return { value: said.text, ...sumOf([countsOf(called), countsOf(said)]) }
    },
    async converse(first, second) {
      const asked = new HumanMessage(first)
      const answered = await model.invoke([asked])
      const said = await model.invoke([asked, answered, new HumanMessage(second)])
      return { value: [answered.text, said.text], ...sumOf([countsOf(answered), countsOf(said)]) }
    },
    async structured(prompt) {
      const { raw, parsed } = await model.withStructuredOutput(crossing, { includeRaw: true }).invoke(prompt)
      if (!AIMessage.isInstance(raw)) throw new Error('It is no message of the model.')
      return { value: parsed, ...countsOf(raw) }
    },
  }
}

const countsOf = ({ usage_metadata: usage }: { readonly usage_metadata?: UsageMetadata | undefined }) => ({
  input: usage?.input_tokens ?? Number.NaN,
  output: usage?.output_tokens ?? Number.NaN,
})
