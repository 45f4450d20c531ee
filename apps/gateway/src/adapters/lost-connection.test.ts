import { createServer } from 'node:net'
import sql from 'sql-template-tag'
import { expect, test } from 'vitest'
import { listen } from '../../test/kit/network/loopback.ts'
import { silent } from '../../test/kit/silent-log.ts'
import { connectPostgres } from './postgres.ts'

/** A message of PostgreSQL's protocol: type, length, content. */
function message(type: string, content: Buffer): Buffer {
  const length = Buffer.alloc(4)
  length.writeInt32BE(content.length + 4)
  return Buffer.concat([Buffer.from(type), length, content])
}

const AUTHENTICATED = message('R', Buffer.alloc(4))
const READY = message('Z', Buffer.from('I'))
const SHUT_DOWN = message('E', Buffer.from('SFATAL\0C57P01\0Mterminating connection\0\0'))

test('fails with UNAVAILABLE when the server shuts down during the connection, and keeps the process alive', async () => {
  const server = createServer(socket => {
    socket.on('error', () => undefined)
    // All in one piece: the client reads the end before anybody can take the connection that is ready.
    socket.once('data', () => socket.end(Buffer.concat([AUTHENTICATED, READY, SHUT_DOWN])))
  })
  const { port, stop } = await listen(server)
  const connectionString = `postgres://user:password@127.0.0.1:${port}/database`
  const db = connectPostgres({ connectionString, connectionsMax: 1, log: silent })
  try {
    const away = { code: 'UNAVAILABLE' }
    await expect(db.query(sql`select 1`)).rejects.toMatchObject(away)
    await expect(db.transaction(tx => tx.query(sql`select 1`))).rejects.toMatchObject(away)
  } finally {
    await db.close()
    await stop()
  }
})
