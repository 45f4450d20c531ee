import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig, type Plugin } from 'rolldown'

const ROOT = join(import.meta.dirname, '../..')

/** Adds the licences of the program, and of the packages whose code is in it. */
const licences: Plugin = {
  name: 'licences',
  generateBundle(_, bundle) {
    const files = Object.values(bundle).flatMap(chunk => (chunk.type === 'chunk' ? chunk.moduleIds : []))
    const folders = new Set(files.flatMap(file => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? []))
    const notices = [...folders].toSorted().map(folder => {
      const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
      const file = readdirSync(folder).find(each => /^licen[cs]e/i.test(each))
      const text = file === undefined ? '' : `\n\n${readFileSync(join(folder, file), 'utf8').trim()}`
      return `${name} ${version} (${license})${text}`
    })
    const source = `${notices.join('\n\n----\n\n')}\n`
    this.emitFile({ type: 'asset', fileName: 'THIRD-PARTY-LICENSES.txt', source })
    this.emitFile({ type: 'asset', fileName: 'LICENSE', source: readFileSync(join(ROOT, 'LICENSE'), 'utf8') })
  },
}

// One program without dependencies: everything is bundled, as all packages are development dependencies.
// biome-ignore lint/style/noDefaultExport: rolldown reads the default export
export default defineConfig({
  input: 'src/main.ts',
  platform: 'node',
  transform: { target: 'node20' },
  plugins: [licences],
  output: { dir: 'dist', entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs', minify: true },
})
