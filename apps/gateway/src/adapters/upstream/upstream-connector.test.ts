import type { LookupAddress } from 'node:dns'
import { once } from 'node:events'
import {
  type AddressInfo,
  createServer,
  getDefaultAutoSelectFamily,
  type Server,
  Socket,
  setDefaultAutoSelectFamily,
} from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { startNameServer } from '../../../test/attacks/dns-server.ts'
import { BlockedAddressError, createConnector, type Lookup, lookupBySystem } from './upstream-connector.ts'

let connections = 0
const server = createServer(socket => {
  connections += 1
  socket.on('error', () => undefined)
})
const opened: Socket[] = []

beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterEach(() => {
  vi.restoreAllMocks()
  for (const socket of opened.splice(0)) socket.destroy()
})
afterAll(() => {
  server.close()
})

const HERE: LookupAddress = { address: '127.0.0.1', family: 4 }
const PUBLIC: LookupAddress = { address: '8.8.8.8', family: 4 }
const resolving =
  (...addresses: LookupAddress[]): Lookup =>
  (_, answer) =>
    answer(null, addresses)
const neverAsked: Lookup = () => {
  throw new Error('No name was to be resolved.')
}

/** An address that changes between the look at it and its use, as a name may: public first, then ours. */
function rebound(): LookupAddress {
  let reads = 0
  return {
    family: 4,
    get address() {
      reads += 1
      return reads === 1 ? PUBLIC.address : HERE.address
    },
  }
}

/** Lets connections report another peer address: a public one is not available here. */
function showPeer(address: string | undefined): void {
  const real = Socket.prototype.connect
  vi.spyOn(Socket.prototype, 'connect').mockImplementation(function (this: Socket, ...way: unknown[]) {
    Object.defineProperty(this, 'remoteAddress', { value: address })
    return Reflect.apply(real, this, way)
  })
}

const portOf = (listener: Server): number => (listener.address() as AddressInfo).port

/** A port without a listener. */
async function closedPort(): Promise<number> {
  const gone = createServer().listen(0, '127.0.0.1')
  await once(gone, 'listening')
  const port = portOf(gone)
  gone.close()
  await once(gone, 'close')
  return port
}

type Way = { hostname: string; lookup: Lookup; allowPrivate: boolean; port?: number }

/** Result of connecting to a host: a socket, or the error. */
function connect({ hostname, lookup, allowPrivate, port = portOf(server) }: Way): Promise<Socket | Error> {
  const way = { hostname, host: hostname, protocol: 'http:', port: String(port) }
  return new Promise(resolve => {
    createConnector(lookup, allowPrivate)(way, (error, socket) => {
      if (socket !== null) opened.push(socket)
      resolve(error ?? socket)
    })
  })
}

const guarded = (hostname: string, lookup: Lookup, port?: number) =>
  connect({ lookup, hostname, allowPrivate: false, ...(port !== undefined && { port }) })

describe('a guarded connector', () => {
  test.each([['127.0.0.1'], ['::1'], ['10.0.0.1'], ['169.254.169.254']])(
    'does not connect to %s, which needs no resolver',
    async hostname => {
      const before = connections
      expect(await guarded(hostname, neverAsked)).toBeInstanceOf(BlockedAddressError)
      expect(connections).toBe(before)
    },
  )

  test.each([
    ['a private address', [HERE]],
    ['a public and a private address', [PUBLIC, HERE]],
    ['a private and a public address', [HERE, PUBLIC]],
  ])('does not connect to a name of %s', async (_, addresses) => {
    const before = connections
    const outcome = await guarded('provider.example', resolving(...addresses))
    expect(outcome).toBeInstanceOf(BlockedAddressError)
    expect(outcome).toMatchObject({ name: 'BlockedAddressError' })
    expect(connections).toBe(before)
  })

  test('closes a connection to a private peer, whatever was resolved', async () => {
    const destroyed = vi.spyOn(Socket.prototype, 'destroy')
    expect(await guarded('provider.example', resolving(rebound()))).toBeInstanceOf(BlockedAddressError)
    expect(destroyed).toHaveBeenCalled()
  })

  test('closes a connection whose peer is gone before the check', async () => {
    showPeer(undefined)
    expect(await guarded('provider.example', resolving(rebound()))).toBeInstanceOf(BlockedAddressError)
  })

  test('connects to a name with public addresses', async () => {
    showPeer(PUBLIC.address)
    expect(await guarded('provider.example', resolving(rebound()))).toBeInstanceOf(Socket)
  })

  test('reports why a connection failed', async () => {
    const failed = new Error('No such name.')
    expect(await guarded('provider.example', (_, answer) => answer(failed, []))).toBe(failed)
    const none = await guarded('provider.example', resolving())
    expect(none).toMatchObject({ message: 'The host name has no addresses.' })
    expect(await guarded('provider.example', resolving(rebound()), await closedPort())).toMatchObject({
      code: 'ECONNREFUSED',
    })
  })
})

describe('a connector that allows private addresses', () => {
  test('connects where Node looks up one address only', async () => {
    const before = getDefaultAutoSelectFamily()
    setDefaultAutoSelectFamily(false)
    const outcome = await connect({
      hostname: 'provider.example',
      lookup: resolving(HERE),
      allowPrivate: true,
    })
    setDefaultAutoSelectFamily(before)
    expect(outcome).toBeInstanceOf(Socket)
  })

  test.each([
    ['127.0.0.1', neverAsked],
    ['provider.example', resolving(HERE)],
    ['localhost', lookupBySystem],
  ])('connects to %s', async (hostname, lookup) => {
    expect(await connect({ lookup, hostname, allowPrivate: true })).toBeInstanceOf(Socket)
  })
})

test('names whose server never answers delay no other name', async () => {
  const names = await startNameServer()
  names.mean('known.test', { A: [['8.8.8.8']], AAAA: [['2606:4700:4700::1111']] })
  let pending = 40
  const silent = Array.from(
    { length: pending },
    (_, index) =>
      new Promise<Error | null>(resolved =>
        names.lookup(`silent-${index}.test`, error => {
          pending -= 1
          resolved(error)
        }),
      ),
  )
  const found = await new Promise(resolved =>
    names.lookup('known.test', (error, addresses) => resolved({ error, addresses })),
  )
  expect(found).toEqual({
    error: null,
    addresses: [
      { address: '8.8.8.8', family: 4 },
      { address: '2606:4700:4700::1111', family: 6 },
    ],
  })
  expect(pending).toBe(40)
  const began = performance.now()
  expect(await Promise.all(silent)).toEqual(Array(40).fill(expect.any(Error)))
  // A connection is given up after ten.
  expect(performance.now() - began).toBeLessThan(8_000)
  await names.stop()
})

test('the system resolver returns all addresses of a name, or an error', async () => {
  const resolve = (name: string) =>
    new Promise(resolved => lookupBySystem(name, (error, addresses) => resolved({ error, addresses })))
  expect(await resolve('127.0.0.1')).toEqual({ error: null, addresses: [HERE] })
  expect(await resolve('name.invalid')).toEqual({ error: expect.any(Error), addresses: [] })
})
