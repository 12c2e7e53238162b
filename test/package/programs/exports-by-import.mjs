const door = await import(process.argv[2])
console.log(JSON.stringify(Object.keys(door).sort()))
