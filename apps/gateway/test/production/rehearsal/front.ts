import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { balancers } from '../../../../../scripts/balancers/programs.ts'
import { freePort } from '../../../src/adapters/free-port.ts'
import { until } from '../../kit/until.ts'
import { startBalancer } from '../../several/balancer.ts'
import { isInstalled, skip } from './shell.ts'

const DEPLOY = join(import.meta.dirname, '../../../../../deploy')

/** A balancer before two gateways, as callers reach them. */
export type Front = { readonly url: string; stop(): Promise<void> }

/** Starts HAProxy by the configuration of deploy/, or the balancer of the tests where it is not installed. */
export async function startFront(directory: string, gateways: readonly number[]): Promise<Front> {
  const haproxy = balancers.find(({ name }) => name === 'haproxy')
  if (haproxy === undefined || !isInstalled('haproxy')) {
    skip('deploy/haproxy/gateways.cfg, as HAProxy is not installed', 'the balancer of the tests')
    const balancer = await startBalancer()
    for (const port of gateways) balancer.add({ url: `http://127.0.0.1:${port}` })
    return balancer
  }
  const port = await freePort()
  const text = await readFile(join(DEPLOY, haproxy.file), 'utf8')
  const { command, files } = haproxy.place(text, { directory, port, gateways })
  for (const [name, content] of Object.entries(files)) await writeFile(join(directory, name), content)
  const [program = '', ...words] = command
  const child = spawn(program, words, { stdio: 'ignore' })
  const endWithUs = () => child.kill('SIGKILL')
  process.once('exit', endWithUs)
  const exited = once(child, 'exit')
  const url = `http://127.0.0.1:${port}`
  await until('HAProxy listens', () =>
    fetch(url).then(
      () => true,
      () => false,
    ),
  )
  return {
    url,
    async stop() {
      child.kill('SIGTERM')
      await exited
      process.removeListener('exit', endWithUs)
    },
  }
}
