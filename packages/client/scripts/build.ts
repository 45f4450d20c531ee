import { execFile } from 'node:child_process'
import { copyFile, cp, glob, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'

// Builds the package that is published, in packages/client/dist: `npm run client`. The workspace itself stays private and
// exports its sources, so nothing in this repository waits for a build.
const ROOT = join(import.meta.dirname, '../../..')
const PACKAGE = join(import.meta.dirname, '..')

type Manifest = Readonly<Record<string, unknown>> & { readonly exports: Readonly<Record<string, string>> }

/**
 * Builds the package from its sources.
 *
 * @param directory is replaced
 */
export async function buildPackage(directory: string): Promise<void> {
  await rm(directory, { recursive: true, force: true })
  const tsc = join(ROOT, 'node_modules/typescript-native/bin/tsc')
  const compile = [tsc, '-p', join(PACKAGE, 'tsconfig.build.json'), '--outDir', directory]
  await promisify(execFile)(process.execPath, compile)
  for await (const file of glob('**/*.d.ts', { cwd: directory })) {
    const path = join(directory, file)
    // tsc rewrites the extensions of imports in .js files only.
    const text = (await readFile(path, 'utf8')).replaceAll(/((?:from |import\()['"]\.[^'"]+)\.ts\b/g, '$1.js')
    await writeFile(path, text)
  }
  const manifest: Manifest = JSON.parse(await readFile(join(PACKAGE, 'package.json'), 'utf8'))
  const published = JSON.stringify(publishedManifest(manifest), null, 2)
  await writeFile(join(directory, 'package.json'), `${published}\n`)
  await copyFile(join(PACKAGE, 'README.md'), join(directory, 'README.md'))
  await cp(join(PACKAGE, 'docs'), join(directory, 'docs'), { recursive: true })
  await copyFile(join(ROOT, 'LICENSE'), join(directory, 'LICENSE'))
}

/** Returns the manifest of the published package: that of the workspace, with what is built, for others to install. */
function publishedManifest({ private: _private, devDependencies: _, exports, ...kept }: Manifest): object {
  const built = Object.entries(exports).map(([name, source]) => {
    const base = source.replace(/^\.\/src\/(.*)\.ts$/, './$1')
    return [name, { types: `${base}.d.ts`, default: `${base}.js` }]
  })
  return { ...kept, exports: { ...Object.fromEntries(built), './package.json': './package.json' } }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await buildPackage(join(PACKAGE, 'dist'))
