import { DefaultReporter, type TestModule, type TestSpecification } from 'vitest/node'

/** A line at most so often, in ms. */
const LINE_EVERY_MS = 15_000

/**
 * Reports as vitest does, and says how far the run is where nobody sees its own live summary. Its last line is how many
 * tests passed and failed; a file that could not be run and an error outside of any test count as failed.
 */
export class ProgressReporter extends DefaultReporter {
  #files = 0
  #begunAt = 0
  #lineAt = 0
  readonly #ended: TestModule[] = []

  override onTestRunStart(specifications: readonly TestSpecification[]): void {
    this.#files = specifications.length
    this.#begunAt = this.#lineAt = performance.now()
    super.onTestRunStart(specifications)
  }

  override onTestModuleEnd(module: TestModule): void {
    super.onTestModuleEnd(module)
    this.#ended.push(module)
    const now = performance.now()
    if (process.stdout.isTTY || now - this.#lineAt < LINE_EVERY_MS) return
    this.#lineAt = now
    const seconds = Math.round((now - this.#begunAt) / 1_000)
    const { passed, failed } = count(this.#ended)
    this.log(
      `-- ${this.#ended.length} of ${this.#files} files after ${seconds} s: ${passed} passed, ${failed} failed`,
    )
  }

  override onTestRunEnd(...[modules, errors, reason]: Parameters<DefaultReporter['onTestRunEnd']>): void {
    super.onTestRunEnd(modules, errors, reason)
    const { passed, failed } = count(modules)
    this.log(`${passed} passed, ${failed + errors.length} failed`)
  }
}

function count(modules: readonly TestModule[]): { passed: number; failed: number } {
  const counts = { passed: 0, failed: 0 }
  for (const module of modules) {
    const states = [...module.children.allTests()].map(test => test.result().state)
    const failed = states.filter(state => state === 'failed').length
    counts.passed += states.filter(state => state === 'passed').length
    counts.failed += failed === 0 && module.state() === 'failed' ? 1 : failed
  }
  return counts
}
