import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const execute = promisify(execFile)
const NETWORKS = 250

/** The network namespace of one machine. */
export type Place = {
  readonly address: string
  /** Returns the beginning of a command line that runs there, as `user` if given. */
  enter(user?: string): string[]
  /** Drops every packet in and out, without an error. */
  cut(): Promise<void>
  heal(): Promise<void>
}

/** A network of its own that no packet leaves. */
export type Network = { readonly places: readonly Place[]; close(): Promise<void> }

/**
 * Makes network namespaces, one for each machine, on a bridge in ours. The addresses are private ones that only exist
 * on this machine.
 *
 * @throws Error where that is not permitted
 */
export async function openNetwork(machines: number): Promise<Network> {
  const prefix = `fb${process.pid}`
  const subnet = `10.213.${process.pid % NETWORKS}`
  const bridge = `${prefix}br`
  const made: string[][] = []
  const ip = async (...args: string[]) => void (await execute('ip', args))
  const close = async () => {
    for (const undo of made.reverse()) await ip(...undo).catch(() => undefined)
  }
  try {
    await ip('link', 'add', bridge, 'type', 'bridge')
    made.push(['link', 'del', bridge])
    await ip('address', 'add', `${subnet}.1/24`, 'dev', bridge)
    await ip('link', 'set', bridge, 'up')
    const places: Place[] = []
    for (let index = 0; index < machines; index += 1) {
      const [name, outside, address] = [`${prefix}n${index}`, `${prefix}v${index}`, `${subnet}.${11 + index}`]
      await ip('netns', 'add', name)
      made.push(['netns', 'del', name])
      await ip('link', 'add', outside, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', name)
      await ip('link', 'set', outside, 'master', bridge, 'up')
      await ip('-n', name, 'address', 'add', `${address}/24`, 'dev', 'eth0')
      await ip('-n', name, 'link', 'set', 'eth0', 'up')
      await ip('-n', name, 'link', 'set', 'lo', 'up')
      // A disabled port keeps its carrier, so that neither side sees a cable pulled.
      const port = async (state: 'disabled' | 'forwarding') => {
        const number = state === 'disabled' ? '0' : '3'
        await execute('bridge', ['link', 'set', 'dev', outside, 'state', number])
      }
      places.push({
        address,
        enter: user => [
          ...['ip', 'netns', 'exec', name],
          ...(user === undefined ? [] : ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--clear-groups']),
        ],
        cut: () => port('disabled'),
        heal: () => port('forwarding'),
      })
    }
    return { places, close }
  } catch (error) {
    await close()
    throw new Error('The laboratory needs root and network namespaces.', { cause: error })
  }
}
