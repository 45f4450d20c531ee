import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import { generateText, isStepCount, type LanguageModel, Output, streamText, tool } from 'ai'
import { type Account, crossing, type Libraries, type Library, listOf, readFare, sumOf } from './library.ts'

const STEPS_MAX = 3

const optionsOf = ({ url, apiKey }: Account) => ({ baseURL: `${url}/v1`, apiKey })

/** By default the AI SDK sends earlier answers to the Responses API as references to OpenAI's storage. */
const providerOptions = { openai: { store: false } }

/** The AI SDK with OpenAI's and Anthropic's APIs. */
export const aiSdk: Libraries = {
  'AI SDK, chat completions': on => libraryOf(createOpenAI(optionsOf(on)).chat(on.chatModel)),
  'AI SDK, responses': on => libraryOf(createOpenAI(optionsOf(on))(on.chatModel)),
  'AI SDK, messages': on => libraryOf(anthropicOf(on)(on.messagesModel)),
}

/** It asks for 128,000 output tokens of a model that it does not know: the cap lowers the bound. */
function anthropicOf({ url, apiKey }: Account) {
  return createAnthropic({ baseURL: `${url}/v1`, apiKey, headers: { 'Farebox-Max-Cost-Usdc': '0.05' } })
}

function libraryOf(model: LanguageModel): Library {
  return {
    async ask(prompt) {
      const { text, totalUsage } = await generateText({ model, prompt })
      return { value: text, ...countsOf(totalUsage) }
    },
    async stream(prompt) {
      const { textStream, totalUsage } = streamText({ model, prompt })
      const value = await listOf(textStream)
      return { value, ...countsOf(await totalUsage) }
    },
    async useTool(prompt) {
      const tools = {
        [readFare.name]: tool({
          description: readFare.description,
          inputSchema: readFare.parameters,
          execute: readFare.run,
        }),
      }
      const { text, totalUsage } = await generateText({
        model,
        prompt,
        tools,
        stopWhen: isStepCount(STEPS_MAX),
      })
      return { value: text, ...countsOf(totalUsage) }
    },
    async converse(first, second) {
      const asked = { role: 'user', content: first } as const
      const answered = await generateText({ model, messages: [asked], providerOptions })
      const messages = [asked, ...answered.responseMessages, { role: 'user', content: second } as const]
      const said = await generateText({ model, messages, providerOptions })
      return {
        value: [answered.text, said.text],
        ...sumOf([countsOf(answered.totalUsage), countsOf(said.totalUsage)]),
      }
    },
    async structured(prompt) {
      const { output, totalUsage } = await generateText({
        model,
        prompt,
        output: Output.object({ schema: crossing }),
      })
      return { value: output, ...countsOf(totalUsage) }
    },
  }
}

type Counts = { readonly inputTokens: number | undefined; readonly outputTokens: number | undefined }
const countsOf = ({ inputTokens, outputTokens }: Counts) => ({
  input: inputTokens ?? Number.NaN,
  output: outputTokens ?? Number.NaN,
})
