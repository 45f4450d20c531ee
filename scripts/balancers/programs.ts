import { join } from 'node:path'

/** Folder and port of a balancer, and the ports of the gateways on loopback. */
export type Place = {
  readonly directory: string
  readonly port: number
  readonly gateways: readonly number[]
}

/** A balancer of deploy/. */
export type Balancer = {
  readonly name: string
  /** Its configuration, below deploy/. */
  readonly file: string
  /** Numbers of gateways that it is tried with. */
  readonly gateways: readonly number[]
  /** The command that runs the configuration at another place, and the files of its folder. */
  place(text: string, place: Place): { readonly command: readonly string[]; readonly files: Files }
}

type Files = Readonly<Record<string, string>>

/**
 * Replaces what must occur.
 *
 * @throws Error when it does not: the configuration was changed, and what is tried would not be it
 */
function replace(text: string, pattern: RegExp | string, by: string): string {
  const replaced = text.replaceAll(pattern, by)
  if (replaced === text) throw new Error(`The configuration has no ${String(pattern)}.`)
  return replaced
}

const editAll = (text: string, edits: readonly (readonly [RegExp | string, string])[]): string =>
  edits.reduce((edited, [pattern, by]) => replace(edited, pattern, by), text)

/** The four addresses of nginx and haproxy become those of the toys; lines of gateways that there are not go. */
function atLoopback(text: string, gateways: readonly number[]): string {
  return [0, 1, 2, 3].reduce((edited, index) => {
    const port = gateways[index]
    return port === undefined
      ? replace(edited, new RegExp(`^.*\\b10\\.0\\.1\\.1${index}:8402\\b.*\\n`, 'gm'), '')
      : replace(edited, `10.0.1.1${index}:8402`, `127.0.0.1:${port}`)
  }, text)
}

const nginx: Balancer = {
  name: 'nginx',
  file: 'nginx/farebox.conf',
  gateways: [2, 4],
  place(text, { directory, port, gateways }) {
    let site = replace(text, 'listen 80;', `listen 127.0.0.1:${port};`)
    // With two gateways as its comment says.
    if (gateways.length === 2)
      site = editAll(site, [
        ['"~[048C]"', '"~[02468ACE]"'],
        ['"~[159D]"', '"~[13579BDF]"'],
        [/^ *"~\[(?:26AE|37BF)\]".*\n/gm, ''],
        [/^upstream farebox_[23] \{[^}]*\}\n/gm, ''],
      ])
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    const main = `daemon off;
pid ${directory}/pid;
worker_processes 2;
events {}
http {
  access_log off;
${temporary.map(kind => `  ${kind}_temp_path ${directory}/${kind};`).join('\n')}
  include ${directory}/farebox.conf;
}
`
    return {
      command: ['nginx', '-p', directory, '-c', join(directory, 'nginx.conf'), '-e', 'stderr'],
      files: { 'nginx.conf': main, 'farebox.conf': atLoopback(site, gateways) },
    }
  },
}

const haproxy: Balancer = {
  name: 'haproxy',
  file: 'haproxy/gateways.cfg',
  gateways: [2, 4],
  place(text, { directory, port, gateways }) {
    // The trial runs with whatever number of files it is allowed.
    const small = replace(text, 'maxconn 20000', 'maxconn 1000')
    const bound = replace(small, 'bind :80', `bind 127.0.0.1:${port}`)
    // With two gateways as its comment says.
    const divided =
      gateways.length === 2
        ? editAll(bound, [
            ['str 0 4 8 C', 'str 0 2 4 6 8 A C E'],
            ['str 1 5 9 D', 'str 1 3 5 7 9 B D F'],
            [/^ *use-server gateway[23] .*\n/gm, ''],
          ])
        : bound
    return {
      command: ['haproxy', '-db', '-f', join(directory, 'haproxy.cfg')],
      files: { 'haproxy.cfg': atLoopback(divided, gateways) },
    }
  },
}

const caddy: Balancer = {
  name: 'caddy',
  file: 'compose/Caddyfile',
  gateways: [2],
  place(text, { directory, port, gateways }) {
    const own = '{\n\tadmin off\n\tdefault_bind 127.0.0.1\n}\n'
    const site = replace(text, '{$SITE_ADDRESS}', `http://127.0.0.1:${port}`)
    const placed = gateways.reduce(
      (edited, of, index) => replace(edited, `gateway-${index + 1}:8402`, `127.0.0.1:${of}`),
      site,
    )
    return {
      command: ['caddy', 'run', '--adapter', 'caddyfile', '--config', join(directory, 'Caddyfile')],
      files: { Caddyfile: own + placed },
    }
  },
}

export const balancers: readonly Balancer[] = [nginx, haproxy, caddy]
