import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, posix } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Application, type TypeDocOptions } from 'typedoc'
import type { PluginOptions } from 'typedoc-plugin-markdown'

// Writes packages/client/docs: from the comments of what the package exports, and from the contract. `npm run contract`
// runs it.
const PACKAGE = join(import.meta.dirname, '..')
const CONTRACT = join(PACKAGE, '../../apps/gateway/openapi.json')
const HEAD =
  '<!-- Generated from the comments of the sources and from the contract by `npm run contract`. -->\n\n'

const OPTIONS: Partial<TypeDocOptions & PluginOptions> = {
  plugin: ['typedoc-plugin-markdown'],
  router: 'module',
  tsconfig: join(PACKAGE, 'tsconfig.build.json'),
  logLevel: 'Error',
  name: '@farebox/client',
  readme: 'none',
  // By default typedoc empties the folder that it writes to.
  cleanOutputDir: false,
  disableSources: true,
  hideBreadcrumbs: true,
  hidePageHeader: true,
  excludeExternals: true,
  parametersFormat: 'table',
  typeAliasPropertiesFormat: 'table',
  typeDeclarationFormat: 'table',
}

/** Returns the documents of the package by their file names: one for each of its exports, the operations, and a list. */
export async function describePackage(): Promise<ReadonlyMap<string, string>> {
  const manifest = JSON.parse(await readFile(join(PACKAGE, 'package.json'), 'utf8'))
  const sources = Object.entries<string>(manifest.exports)
  // Names of the pages that typedoc writes, which are those of the sources, and of those that are kept.
  const pages = new Map(
    sources.map(([name, source]) => [pageOf(source), `${name === '.' ? 'client' : name.slice(2)}.md`]),
  )
  const entryPoints = sources.map(([, source]) => join(PACKAGE, source))
  const app = await Application.bootstrapWithPlugins({ ...OPTIONS, entryPoints } as Partial<TypeDocOptions>)
  const project = await app.convert()
  if (project === undefined || app.logger.hasErrors()) throw new Error('The package cannot be documented.')
  const directory = await mkdtemp(join(tmpdir(), 'farebox-docs-'))
  try {
    await app.outputs.writeOutput({ name: 'markdown', path: directory }, project)
    const described = new Map<string, string>()
    for (const [name, source] of sources) {
      const page = pageOf(source)
      const text = (await readFile(join(directory, page), 'utf8'))
        .replace(/^# .*$/m, `# ${posix.join('@farebox/client', name)}`)
        .replaceAll(
          /\]\(([\w./-]+\.md)/g,
          (_, link) => `](${pages.get(posix.join(page, '..', link)) ?? link}`,
        )
      described.set(pages.get(page) ?? page, HEAD + text)
    }
    const list = sources.map(
      ([name, source]) => `- [\`${posix.join('@farebox/client', name)}\`](${pages.get(pageOf(source))})`,
    )
    described.set('operations.md', await describeOperationTable())
    described.set(
      'README.md',
      `${HEAD}# Exports of @farebox/client\n\n${list.join('\n')}\n\n[All operations](operations.md) of a gateway, which are functions of a client.\n`,
    )
    return described
  } finally {
    await rm(directory, { recursive: true })
  }
}

function pageOf(source: string): string {
  return source
    .replace(/^\.\/src\/(.*?)\.ts$/, '$1')
    .replace(/(.)\/index$/, '$1')
    .concat('.md')
}

type Operation = { readonly operationId?: string; readonly summary?: string }

/** Returns a table of all operations: the name of the function, its request, and what it does. */
async function describeOperationTable(): Promise<string> {
  const { paths } = JSON.parse(await readFile(CONTRACT, 'utf8')) as {
    paths: Record<string, Record<string, Operation>>
  }
  const rows = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { operationId, summary }]) =>
      operationId === undefined
        ? []
        : [`| \`${operationId}\` | \`${method.toUpperCase()} ${path}\` | ${summary} |`],
    ),
  )
  const head =
    '# Operations\n\nEach is a function of a client; `/docs` on a running gateway shows what it takes and answers.'
  return `${HEAD}${head}\n\n| function | request | effect |\n| --- | --- | --- |\n${rows.join('\n')}\n`
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const docs = join(PACKAGE, 'docs')
  await rm(docs, { recursive: true, force: true })
  await mkdir(docs)
  for (const [name, text] of await describePackage()) await writeFile(join(docs, name), text)
}
