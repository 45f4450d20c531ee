import { afterAll, beforeAll, test } from 'vitest'
import { type ModelScene, startModelScene } from './model-scene.ts'
let scene: ModelScene
beforeAll(async () => { scene = await startModelScene(); await scene.offer('m', '/v1/chat/completions') })
afterAll(async () => { await scene.stop() })
for (const path of ['/v1/chat/completions', '/api/v1/agent/invoke']) test(path, async () => {
  const credential = await scene.credential()
  const b = { model: 'm', stream: true, messages: [{ role: 'user', content: 'hello' }] }
  const body = path.includes('agent') ? { serviceId: 'm', payload: { body: b } } : b
  const answer = await fetch(scene.on.url + path, { method: 'POST', headers: { authorization: 'Bearer ' + credential.token, 'content-type': 'application/json' }, body: JSON.stringify(body), signal: AbortSignal.timeout(6000) })
  console.log(answer.status, [...answer.headers])
  let text = ''
  try { for await (const c of answer.body!) text += Buffer.from(c).toString() } catch (e) { console.log(String(e)) }
  console.log(text)
  console.log(scene.provider.call().eventsSent, await scene.on.sql('select status from invocations'))
})
