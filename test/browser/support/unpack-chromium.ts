import { createReadStream, createWriteStream, existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { createBrotliDecompress } from 'node:zlib'
import type { LaunchOptions } from 'playwright-core'
import { extract } from 'tar-fs'

const packed = fileURLToPath(new URL('../../../node_modules/@sparticuz/chromium/', import.meta.url))
const cache = fileURLToPath(new URL('../../../node_modules/.cache/', import.meta.url))

/**
 * Unpacks the Chromium of `@sparticuz/chromium` once for each of its versions. Returns the options that start it. The
 * package's own function unpacks it into
 * the temporary folder of the machine while other processes may do the same.
 */
export const unpackChromium = async (): Promise<LaunchOptions> => {
  const { version } = JSON.parse(await readFile(join(packed, 'package.json'), 'utf8')) as { version: string }
  const folder = join(cache, `chromium-${version}`)
  if (!existsSync(folder)) await unpackInto(folder)
  return {
    executablePath: join(folder, 'chromium'),
    env: {
      ...process.env,
      LD_LIBRARY_PATH: join(folder, 'lib'),
      FONTCONFIG_FILE: join(folder, 'fonts.conf'),
    },
    // Containers have no user namespaces and little shared memory.
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  }
}

const unpackInto = async (folder: string): Promise<void> => {
  await mkdir(cache, { recursive: true })
  const temporary = await mkdtemp(join(cache, 'chromium-'))
  const read = (name: string) => createReadStream(join(packed, 'bin', name))
  const archives = ['al2023.tar.br', 'fonts.tar.br', 'swiftshader.tar.br'].map((name) =>
    pipeline(read(name), createBrotliDecompress(), extract(temporary)),
  )
  const executable = join(temporary, 'chromium')
  await Promise.all([
    pipeline(read('chromium.br'), createBrotliDecompress(), createWriteStream(executable)),
    ...archives,
  ])
  await chmod(executable, 0o755)
  // That of the package names folders that do not exist here, and pages would have no text.
  const fonts = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>${join(folder, 'fonts')}</dir><cachedir>${join(folder, 'font-cache')}</cachedir></fontconfig>\n`
  await writeFile(join(temporary, 'fonts.conf'), fonts)
  // Another process may have been faster.
  await rename(temporary, folder).catch(() => rm(temporary, { recursive: true }))
}
