// Loaded into a program by --require: prints the packages whose code the program has loaded, when it exits, and
// the files of svc-streams.
const { basename, sep } = require('node:path')

process.on('exit', () => {
  const names = Object.keys(require.cache).flatMap((file) => {
    const path = file.split(sep)
    const index = path.lastIndexOf('node_modules')
    const name = path[index + 1]
    return index < 0 ? [] : [name === 'svc-streams' ? basename(file) : name]
  })
  process.stderr.write(JSON.stringify([...new Set(names)].sort()))
})
