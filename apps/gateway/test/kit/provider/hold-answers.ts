import { sendJson, type TestProvider } from './provider.ts'

/** Makes a provider hold every call until `release`. */
export function holdAnswers(upstream: TestProvider): { release(): void; waiting(): number } {
  const before = upstream.calls.length
  const goOn = Promise.withResolvers<void>()
  upstream.respondWith(async (_, response) => {
    await goOn.promise
    sendJson(response, 200, { done: true })
  })
  return { release: () => goOn.resolve(), waiting: () => upstream.calls.length - before }
}
