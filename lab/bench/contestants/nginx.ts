import { execFile, spawn } from 'node:child_process'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from '../../../apps/gateway/src/adapters/free-port.ts'
import { endChild, listening } from '../../kit/processes.ts'
import type { ServingWorker } from '../workers/workers.ts'

const START_LIMIT_MS = 10_000
const STOP_LIMIT_MS = 5_000
const CONNECTIONS_MAX = 8_192
/** Kept connections to the provider: one for each caller there may be. */
const KEPT_CONNECTIONS = 1_024

/** Version of the nginx on the PATH; null when there is none. */
export async function findNginx(): Promise<string | null> {
  const reported = await promisify(execFile)('nginx', ['-v']).then(
    ({ stdout, stderr }) => stdout + stderr,
    () => null,
  )
  return reported === null ? null : (/\d[\w.]*/.exec(reported)?.[0] ?? 'unknown')
}

/**
 * Starts nginx as a plain proxy in front of the provider, with a configuration of its own: a worker per core, as its
 * packages ship it, connections kept on both sides for as long as a run lasts, no access log.
 */
export async function startNginx(upstreamUrl: string): Promise<ServingWorker> {
  const directory = await mkdtemp(join(tmpdir(), 'farebox-bench-nginx-'))
  // Started by root, its workers run as another user, who must be able to enter.
  await chmod(directory, 0o755)
  const port = await freePort()
  const file = join(directory, 'nginx.conf')
  await writeFile(file, configuration({ directory, port, upstream: new URL(upstreamUrl).host }))
  const child = spawn('nginx', ['-p', directory, '-c', file, '-e', 'stderr'], { stdio: 'ignore' })
  const stop = async () => {
    await endChild(child, STOP_LIMIT_MS)
    await rm(directory, { recursive: true, force: true })
  }
  try {
    await listening(child, port, START_LIMIT_MS)
    const { pid } = child
    if (pid === undefined) throw new Error('It has no process id.')
    return { url: `http://127.0.0.1:${port}`, pid, stop }
  } catch (error) {
    await stop()
    throw new Error('nginx did not start.', { cause: error })
  }
}

function configuration(on: { directory: string; port: number; upstream: string }): string {
  const bodies = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  return `
daemon off;
worker_processes auto;
pid ${on.directory}/nginx.pid;
error_log stderr crit;
events { worker_connections ${CONNECTIONS_MAX}; }
http {
  access_log off;
  ${bodies.map(name => `${name}_temp_path ${on.directory}/${name};`).join('\n  ')}
  keepalive_timeout 1h;
  keepalive_requests 1000000000;
  upstream provider {
    server ${on.upstream};
    keepalive ${KEPT_CONNECTIONS};
    keepalive_timeout 110s;
    keepalive_requests 1000000000;
  }
  server {
    listen 127.0.0.1:${on.port} backlog=4096;
    location / {
      proxy_pass http://provider;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
    }
  }
}
`
}
