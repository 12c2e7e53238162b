const entryPoint = await import(process.argv[2])
console.log(JSON.stringify(Object.keys(entryPoint).sort()))
