// References that a program would read as code. Each line is one command. If the value were inserted as text, every refused command
// would run it.
import { expect, test } from 'vitest';
import { shellReferences } from '../../../src/shell/bindShell.js';
import { cpuMs } from '../../support/cpuMs.js';

const linesOf = (text: string): string[] => text.trim().split('\n');
const quotings = (text: string): string[] => shellReferences(text).map(({ quoting }) => quoting);

const refused = {
  'the program itself': String.raw`
{{x}}
./{{x}}
bin/{{x}} a
"{{x}}"
env {{x}}
env A=1 {{x}}
sudo {{x}}
nice -n 5 {{x}}
timeout 5 {{x}}
exec {{x}}
command {{x}}
xargs {{x}}
npx {{x}}
npm exec {{x}}
docker exec app {{x}}
kubectl exec -n ns pod -- {{x}}
find . -exec {{x}} \;
true && {{x}}
true | {{x}}
if {{x}}; then echo; fi`,
  'builtins that read code': String.raw`
eval {{x}}
'eval' {{x}}
\eval {{x}}
ev''al {{x}}
eval "echo {{x}}"
. {{x}}
source ./{{x}}
trap {{x}} EXIT
trap "echo {{x}}" EXIT
alias a={{x}}
let a={{x}}
declare -i a={{x}}
declare {{x}}
test -v {{x}}
printf -v {{x}} a
complete -C {{x}} a
hash -p {{x}} ls
for ((i=0;i<{{x}};i++)); do echo; done
[[ {{x}} -eq 1 ]]
((a={{x}}))
echo $(({{x}}))`,
  shells: `
sh {{x}}
sh ./{{x}}.sh
sh -c {{x}}
sh -c -- {{x}}
sh 2>&1 -c {{x}}
> out sh -c {{x}}
2>/dev/null sh -c {{x}}
/bin/sh -c {{x}}
"/bin/sh" -c {{x}}
A=1 B=2 sh -c {{x}}
bash -x {{x}}
bash -o pipefail -c {{x}}
bash -euo pipefail -c "{{x}}"
bash -lc '{{x}}'
zsh -c {{x}}
fish -c {{x}}
busybox sh -c {{x}}
$SHELL -c {{x}}
"$(which sh)" -c {{x}}
! sh -c {{x}}
true & sh -c {{x}}
if sh -c {{x}}; then echo; fi
case a in a) sh -c {{x}};; esac`,
  'shells behind other programs': String.raw`
nohup sh {{x}}
time sh {{x}}
sudo -u bob sh -c {{x}}
timeout -k 1 5 bash -c {{x}}
env -i sh -c {{x}}
env -S {{x}}
stdbuf -oL sh -c {{x}}
flock f -c {{x}}
flock f sh -c {{x}}
ssh host {{x}}
ssh {{x}}
su -c {{x}} bob
su bob -c {{x}}
docker exec app sh -c {{x}}
docker exec -it -e A=1 app bash -c "{{x}}"
docker compose exec app sh -c {{x}}
kubectl exec pod -- sh -c {{x}}
find . -exec sh -c {{x}} \;
find . -exec sh -c "echo {{x}}" {} +
parallel {{x}}
watch {{x}}
make {{x}}
make A={{x}}`,
  'other interpreters': `
node -e {{x}}
node -pe {{x}}
node --eval={{x}}
node --eval {{x}}
node -r {{x}} a.mjs
node --import={{x}} a.mjs
node {{x}}
node -r ./a.cjs {{x}}
deno eval {{x}}
deno run {{x}}
bun -e {{x}}
tsx {{x}}
npx tsx -e {{x}}
python3 -c {{x}}
python3.11 -c 'print({{x}})'
python -m {{x}}
perl -e {{x}}
perl -ne '{{x}}'
perl -Mstrict -e {{x}}
ruby -e {{x}}
php -r {{x}}
lua -e {{x}}
Rscript -e {{x}}
osascript -e {{x}}
pwsh -Command {{x}}
powershell -c {{x}}
cmd /c {{x}}
awk {{x}} file
awk '/{{x}}/' file
gawk -f {{x}}
sed s/a/{{x}}/ file
sed -e {{x}} file
sed -i '' s/{{x}}/b/ f
sed file -e {{x}}
jq {{x}} a.json
jq -r '.{{x}}' a.json
psql -c {{x}}
psql db -c {{x}}
mysql -e {{x}}
sqlite3 a.db {{x}}
git clone --upload-pack={{x}} a
tar cf a.tar --checkpoint-action=exec={{x}} b
rsync -e {{x}} a b
sqlite3 a.db "select '{{x}}'"`,
  'the input of shells and interpreters': `
echo {{x}} | sh
echo {{x}} | bash -s
echo {{x}} | bash -s -- a
echo {{x}} | sh -
echo {{x}} | sudo sh
echo {{x}} | env A=1 bash
echo {{x}} | cat | sh
echo {{x}} |& bash
echo {{x}} | tee log | bash
echo {{x}} | xargs sh -c
echo {{x}} | xargs -I{} sh -c "echo {}"
echo {{x}} | xargs -I % sh -c 'echo %'
echo {{x}} | xargs sh
echo {{x}} | xargs -n1 env
echo {{x}} | python3 -
echo {{x}} | python3
echo {{x}} | node
echo {{x}} | psql db
echo {{x}} | sqlite3 a.db
echo {{x}} | parallel
echo {{x}} | sh /dev/stdin
echo {{x}} | . /dev/stdin
echo {{x}} | crontab -
echo {{x}} | ssh host
echo {{x}} | eval sh
echo {{x}} | make -f -
echo {{x}} | bash -c sh
<<< {{x}} bash
bash 0<<< {{x}}
echo {{x}} | eval "$(cat)"
echo {{x}} | sh -c "$(cat)"
echo {{x}} | { v=$(cat); eval "$v"; }
(echo {{x}}) | sh
{ echo {{x}}; } | sh
echo {{x}} | (sh)
echo {{x}} | { cat; sh; }
for i in 1; do echo {{x}}; done | sh
if true; then echo {{x}}; fi | sh
sh <<< {{x}}
bash <<< "{{x}}"
sh < {{x}}
python3 - <<< {{x}}
{ sh; } <<< {{x}}
sh <(echo {{x}})
. <(echo {{x}})
echo {{x}} > >(sh)
echo {{x}} | tee >(sh)
echo > >(sh) {{x}}`,
  'variables that are read as code': `
v={{x}}; eval "$v"
v={{x}}; eval $v
v={{x}}; w=$v; sh -c "$w"
export v={{x}}; sh -c "$v"
v={{x}} sh -c 'eval "$v"'
v={{x}}; $v
v={{x}}; echo "$v" | sh
v={{x}}; echo $((v + 1))
v={{x}}; [[ $v -eq 1 ]]
for v in {{x}}; do eval "$v"; done
read v <<< {{x}}; eval "$v"
echo {{x}} | while read l; do eval "$l"; done
echo {{x}} | while read -r l; do sh -c "$l"; done
while read l; do eval "$l"; done <<< {{x}}
set -- {{x}}; eval "$1"
set -- {{x}}; eval "\${@}"
printf -v v %s {{x}}; eval "$v"
mapfile -t v <<< {{x}}; eval "\${v[0]}"
n={{x}}; echo \${s:n}
n={{x}}; echo \${s[$n]}
n={{x}}; s[$n]=1
f() { eval "$1"; }; f {{x}}
function f { eval "$@"; }; f {{x}}
sh -c 'eval "$1"' _ {{x}}
sh -c '$1' _ {{x}}
PATH={{x}} ls
NODE_OPTIONS={{x}} node a.mjs
BASH_ENV={{x}} bash a.sh
env LD_PRELOAD={{x}} ls`,
  'places with special rules of the shell': String.raw`
$({{x}})
echo $(echo {{x}})
echo "$(echo "{{x}}")"
echo $(case a in a) echo "b";; esac; echo {{x}})
echo \{{x}}
echo "\{{x}}"
echo $'{{x}}'`,
};

test.for(Object.entries(refused))('a reference is refused in %s', ([, lines]) => {
  expect(linesOf(lines).filter((line) => quotings(line).join() !== 'nested')).toEqual([]);
});

const allowed = String.raw`
node price.mjs -p {{x}}
node price.mjs -e {{x}}
python3 tools/check.py -r {{x}}
python3 tools/check.py -c {{x}}
python3 -m pytest -k {{x}}
sed -n 1p {{x}}
sed -e 1p {{x}}
curl http://localhost/env -n {{x}}
curl http://localhost/{{x}}
echo {{x}} | cat
echo {{x}} | grep a
echo {{x}} | jq -r .a
echo {{x}} | sed s/a/b/
echo {{x}} | awk '{print}'
echo {{x}} | node price.mjs
echo {{x}} | sh a.sh
echo {{x}} | xargs echo
echo {{x}} | xargs
echo {{x}} | xargs -n1 grep a
echo {{x}} | while read l; do echo "$l"; done
cat <<< {{x}}
echo "{{x}} + 1" | bc
sh build.sh {{x}}
sh a.sh < in.txt {{x}}
sh -c 'echo "$1"' _ {{x}}
v={{x}} sh -c 'echo "$v"'
v={{x}}; echo "$v"
f() { echo "$1"; }; f {{x}}
for v in {{x}}; do echo "$v"; done
jq --arg a {{x}} '.b == $a' f.json
awk -v a={{x}} '{print a}' f
perl -ne 'print if /a/' {{x}}
psql -d {{x}} -c 'select 1'
docker exec {{x}} ls
docker exec app ls {{x}}
docker logs {{x}}
find {{x}} -name a
find . -name {{x}} -exec grep -l a {} \;
find . -exec grep {{x}} {} \;
timeout {{x}} node a.mjs
sudo -u {{x}} ls
command -v {{x}}
env A={{x}} node a.mjs
npm test -- --grep {{x}}
npm run build -- {{x}}
npx tsx check.ts {{x}}
npx playwright test -g {{x}}
[ {{x}} = a ]
[[ {{x}} == a && b == c ]]
[[ a == b && {{x}} < c ]]
test -f {{x}}
echo $(date) {{x}}
echo "it's" {{x}}
echo $((1<<2)) {{x}}
echo "<<EOF" {{x}}
echo a > {{x}}
cat < {{x}}
ls eval {{x}}
echo "sh -c" {{x}}
echo sh -c {{x}}
grep -e {{x}} file
echo {{x}} # it's | sh
case {{x}} in a) echo b;; esac
if [ {{x}} = a ]; then echo b; fi
cat a.sh | sh; echo {{x}}
echo {{x}}; cat a.sh | sh
echo {{x}} && sh a.sh
echo {{x}} || sh -c 'echo b'
echo {{x}} & sh a.sh
git log --grep {{x}}
echo "\\{{x}}"
echo '\{{x}}'
cp a "{{x}}.txt"
A={{x}} bash setup/sandbox.sh start --port 80`;

test('a reference that is an argument, a file name or data is allowed', () => {
  const wrong = linesOf(allowed).filter((line) => quotings(line).length !== 1 || quotings(line)[0] === 'nested');
  expect(wrong).toEqual([]);
});

test('a reference in a variable that is cut, measured or replaced is allowed', () => {
  expect(quotings(`v={{x}}; echo \${v:0:3} \${v:-a} \${#v} \${v[@]} \${v%b}`)).toEqual(['bare']);
});

test('lines that continue are read as one command', () => {
  expect(quotings('true && \\\n sh \\\n -c {{x}}')).toEqual(['nested']);
  expect(quotings('s\\\nh -c {{x}}')).toEqual(['nested']);
  expect(quotings('echo {{x}} |\n sh')).toEqual(['nested']);
  expect(quotings('echo {{x}} | # to the shell\n\n sh')).toEqual(['nested']);
  expect(quotings('echo {{x}} | cat\n sh a.sh; sh')).toEqual(['bare']);
  expect(quotings('echo a \\\n  {{x}} \\\n b')).toEqual(['bare']);
});

test('references after a heredoc, or after a comment with an apostrophe, are found', () => {
  expect(quotings("cat <<'EOF'\nit's\nEOF\necho {{x}}")).toEqual(['bare']);
  expect(quotings("# don't\necho '{{x}}'")).toEqual(['single']);
  expect(quotings('cat <<A <<-B\n{{x}}\nA\n\tB\necho "{{x}}"')).toEqual(['nested', 'double']);
  expect(quotings('sh <<EOF\n$v\nEOF\nv={{x}}')).toEqual(['nested']);
});

test('a text of 60 kB with 10,000 references is read in linear time', () => {
  const text = `echo ${'{{x}} '.repeat(10_000)}`;
  expect(cpuMs(() => expect(shellReferences(text)).toHaveLength(10_000))).toBeLessThan(400);
});

test.for([
  ['arguments', 'echo {{x}} '.repeat(5_500)],
  ['pipes', `${'echo {{x}}|'.repeat(5_500)}sh`],
  ['references in a row', '{{x}}'.repeat(12_000)],
  ['interpreters', `${'sh|'.repeat(20_000)}{{x}}`],
  ['expansions', `${'$('.repeat(30_000)}{{x}}`],
  ['quoted expansions', `${'"$('.repeat(20_000)}{{x}}`],
  ['backticks', `${'`'.repeat(60_000)}{{x}}`],
  ['wrappers', `${'nice '.repeat(12_000)}{{x}}`],
  ['xargs commands', `${'xargs '.repeat(10_000)}{{x}}`],
  ['find commands', `${'find -exec '.repeat(6_000)}{{x}}`],
  ['groups', `${'{ '.repeat(3_000)}{{x}}${' ; } <<< {{x}}'.repeat(3_000)}`],
  ['loops', 'for a in {{x}}; do '.repeat(3_000)],
  ['variables', `${'a={{x}};b=$a;'.repeat(4_000)}eval $b`],
  ['read commands', `${'echo {{x}} | read v;'.repeat(3_000)}eval $v`],
  ['heredocs', `${'<<E '.repeat(15_000)}\n{{x}}`],
  ['inner scripts', 'sh -c \'sh -c "a"\' {{x}};'.repeat(2_500)],
] as const)('a text of 60 kB with many %s is read in linear time', ([, text]) => {
  // Ten times the usual time. A reader that scans the text again and again would take seconds.
  expect(cpuMs(() => expect(shellReferences(text).length).toBeGreaterThan(0))).toBeLessThan(400);
});
