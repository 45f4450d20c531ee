import { startEmbeddedPostgres } from '../src/dev/embedded-postgres.ts'
import pg from 'pg'
const dir = process.argv[2] ?? '/tmp/anv/pgx/cluster'
const elsewhere = process.argv[3] ?? '/tmp/anv/elsewhere'
for (const sig of ['SIGKILL', 'stop'] as const) {
  const t = Date.now()
  const p = await startEmbeddedPostgres({ directory: dir, elsewhere, notice: m => console.log(m) })
  console.log('ready', Date.now() - t, p.directory, p.pid)
  await p.ensureDatabase('x')
  const c = new pg.Client({ connectionString: p.url('x') }); c.on('error', () => undefined); await c.connect()
  await c.query('create table if not exists t(i int)'); await c.query('insert into t values (1)')
  console.log((await c.query('select count(*) from t')).rows[0])
  if (sig === 'stop') { await c.end(); await p.stop() } else { process.kill(p.pid, 'SIGKILL') }
}
