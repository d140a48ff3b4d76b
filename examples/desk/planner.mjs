// An agent in a program of its own, in whatever language: the request is JSON on stdin, the answer is JSON on stdout.
const chunks = [];
for await (const chunk of process.stdin) chunks.push(chunk);
const { inputs, config } = JSON.parse(Buffer.concat(chunks).toString());
const sections = ['origin', 'making', 'taste'].slice(0, config.sections);
process.stdout.write(JSON.stringify({ sections: sections.map((part) => `the ${part} of ${inputs.topic}`) }));
