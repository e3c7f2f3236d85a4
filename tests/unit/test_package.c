/* The packages of functions. Expected packages follow from the rules of each language: Python's
 * import system, Node.js's packages, the Java Language Specification, Go's import
 * paths, Rust's paths, perlmod, PHP's namespaces. */
#include "analysis/names/package.h"

#include "tap.h"

static const struct {
    const char *package, *name, *file, *image;
    enum pf_frame_kind kind;
} cases[] = {
    /* Python: modules of installed files, as `import` names them */
    {"json.encoder", "iterencode", "/usr/lib/python3.11/json/encoder.py", "", 0},
    {"json", "dumps", "/usr/lib/python3.11/json/__init__.py", "", 0},
    {"threading", "<module>", "/usr/lib/python3.11/threading.py", "", 0},
    {"_distutils_hack", "<lambda>", "/usr/lib/python3/dist-packages/_distutils_hack/__init__.py",
     "", 0},
    {"django.db.models.query", "QuerySet.get",
     "/srv/env/lib/python3.12/site-packages/django/db/models/query.py", "", 0},
    {"json.decoder", "decode", "C:\\Python311\\Lib\\json\\decoder.py", "", 0},
    {"zipimport_me.x", "f", "/srv/app.zip/zipimport_me/x.py", "", 0},
    {"encodings.utf_8", "decode", "/opt/pypy/lib/pypy3.9/encodings/utf_8.py", "", 0},
    /* a `src` inside an installed package is not a root */
    {"lib.src.x", "f", "/usr/lib/python3/dist-packages/lib/src/x.py", "", 0},
    /* relative paths, src */
    {"work", "fib", "../../src/work.py", "", 0},
    {"app", "main", "app.py", "", 0},
    {"shop.cart", "add", "./shop/cart.py", "", 0},
    {"shop.cart", "add", "/home/u/shop/src/shop/cart.py", "", 0},
    {"shop", "<module>", "shop/__init__.py", "", 0},
    /* the path does not tell where modules begin */
    {"/srv/a/v1/views", "get", "/srv/a/v1/views.py", "", 0},
    {"/srv/b/v1/views", "get", "/srv/b/v1/views.py", "", 0},
    {"/srv/a/v1", "<module>", "/srv/a/v1/__init__.py", "", 0},
    /* frozen modules, cells, code without a module */
    {"importlib._bootstrap", "_find_and_load", "<frozen importlib._bootstrap>", "", 0},
    {"__main__", "f", "<stdin>", "", 0},
    {"__main__", "<module>", "/tmp/ipykernel_812/1903.py", "", 0},
    {"", "__init__", "<string>", "", 0},
    /* functions in C: what cProfile's _lsprof and pstats write */
    {"builtins", "<built-in method builtins.sum>", "~", "", PF_FRAME_NATIVE},
    {"posix", "<built-in method posix.stat>", "~", "", PF_FRAME_NATIVE},
    {"numpy.core._multiarch", "<built-in method numpy.core._multiarch.dot>", "~", "", 0},
    {"builtins", "<built-in method __new__ of type object at 0x9584a0>", "~", "", 0},
    {"", "<built-in method fromkeys>", "~", "", PF_FRAME_NATIVE},
    {"re", "<method 'findall' of 're.Pattern' objects>", "~", "", PF_FRAME_NATIVE},
    {"_io", "<method 'read' of '_io.BufferedReader' objects>", "~", "", 0},
    {"builtins", "<method 'append' of 'list' objects>", "~", "", PF_FRAME_NATIVE},
    {"builtins", "<slot wrapper '__init__' of 'object' objects>", "~", "", 0},
    {"builtins", "{built-in method builtins.len}", "", "", 0},
    {"math", "<math.sqrt>", "~", "", 0},
    {"builtins", "<len>", "~", "", 0},
    /* py-spy's and CPython's own names; native code in between */
    {"lib.util", "work (lib/util.py:7)", "", "", 0},
    {"libpython3.11.so.1.0", "PyEval_EvalFrameDefault (libpython3.11.so.1.0)", "", "", 0},
    {"libpython3.11.so.1.0", "PyEval_EvalFrameDefault", "/opt/py/libpython3.11.so.1.0", "", 0},
    {"", "_PyEval_EvalFrameDefault", "Python/ceval.c", "", 0},
    {"libpython3.11.so.1.0", "_PyEval_EvalFrameDefault", "Python/ceval.c",
     "/opt/py/lib/libpython3.11.so.1.0", PF_FRAME_NATIVE},
    {"shop.cart", "py::add:/srv/src/shop/cart.py", "", "/tmp/perf-7.map", PF_FRAME_JIT},
    {"json.encoder", "json.encoder.JSONEncoder.encode", "", "", 0},
    {"", "outer.<locals>.inner", "", "", 0},

    /* JavaScript: packages of Node.js, directories */
    {"lodash", "map", "/srv/app/node_modules/lodash/map.js", "", 0},
    {"@babel/core", "run", "/srv/app/node_modules/@babel/core/lib/run.js", "", 0},
    {"send", "pipe", "file:///a/node_modules/express/node_modules/send/index.js", "", 0},
    {"lodash", "map", "/a/node_modules/.pnpm/lodash@4.17.21/node_modules/lodash/map.js", "", 0},
    {"/srv/app/lib", "Cart.add", "/srv/app/lib/cart.js", "", 0},
    {"/srv/app/lib", "Cart.add", "file:///srv/app/lib/cart.js", "", 0},
    {"https://example.com/js", "render", "https://example.com/js/app.js?v=3", "", 0},
    {"lib", "f", "lib/a.ts", "", 0},
    {".", "f", "app.mjs", "", 0},
    {"/", "f", "/app.js", "", 0},
    {"node:internal/modules/cjs", "Module._extensions..js", "node:internal/modules/cjs/loader", "",
     0},
    {"node:path", "resolve", "node:path", "", 0},
    {"node:fs", "readFile", "node:fs/promises", "", 0},
    {"/srv/app", "LazyCompile:*hot /srv/app/app.js:12", "", "/tmp/perf-7.map", PF_FRAME_JIT},
    {"lodash", "JS:~map file:///a/node_modules/lodash/map.js:3:10", "", "/tmp/perf-7.map",
     PF_FRAME_JIT},
    {"", "(garbage collector)", "", "", 0},
    {"", "(anonymous)", "", "", 0},

    /* Java: the parts before the class */
    {"java.util", "java.util.Map.put", "", "", 0},
    {"java.util", "java.util.Map.put(java.lang.Object)", "", "", 0},
    {"java.lang", "void java.lang.Thread.run()", "", "", 0},
    {"java.util", "java.util.HashMap$Node.getKey", "HashMap.java", "", 0},
    {"java.util", "java.util.Map.<init>", "", "", 0},
    {"java.lang", "java/lang/Thread.run", "", "", PF_FRAME_JIT},
    {"java.lang", "java.lang.Thread::run", "", "", 0},
    {"org.x", "org.x.Foo$$Lambda$14/0x0000000800c03000.accept", "", "", 0},
    {"org.x", "org/x/Foo$$Lambda$14/0x0000000800c03000.accept", "", "", 0},
    {"com.sun.proxy", "com.sun.proxy.$Proxy12.get", "", "", 0},
    {"java.io", "Ljava/io/PrintStream;::println", "", "/tmp/perf-7.map", PF_FRAME_JIT},
    {"java.io", "Ljava/io/PrintStream;.println", "", "", 0},
    {"", "LCounter;::countTo", "", "/tmp/perf-7.map", PF_FRAME_JIT}, /* the unnamed package */
    {"", "Counter.countTo", "Counter.java", "", 0},
    {"com.example", "com.example.function076", "Source076.java", "", 0},
    {"scala.collection", "scala.collection.Iterator.foreach", "Iterator.scala", "", 0},

    /* Go: import paths */
    {"net/http", "net/http.(*conn).serve", "", "", 0},
    {"net/http", "net/http.HandlerFunc.ServeHTTP", "/usr/lib/go/src/net/http/server.go", "", 0},
    {"main", "main.main", "", "", 0},
    {"main", "main.main.func1.1", "", "", 0},
    {"main", "main.init.0", "", "", 0},
    {"main", "main.glob..func1", "", "", 0},
    {"main", "main.(*T).m-fm", "", "", 0},
    {"main", "main.T.Method", "main.go", "", 0},
    {"main", "main.(*Shape[...]).Area", "main.go", "", 0},
    {"main", "main.Map[go.shape.int,github.com/x/y.T]", "main.go", "", 0},
    {"runtime", "runtime.newproc.func1", "/usr/lib/go-1.19/src/runtime/proc.go", "/srv/app", 0},
    {"runtime", "runtime.asyncPreempt", "/usr/lib/go-1.19/src/runtime/preempt_amd64.s", "", 0},
    {"github.com/x/y", "github.com/x/y.F", "", "", 0},
    {"gopkg.in/yaml.v2", "gopkg.in/yaml%2ev2.Unmarshal", "", "", 0},
    {"github.com/BurntSushi/toml", "github.com/BurntSushi/toml.Decode", "", "", 0},
    {"main", "type:.eq.main.T", "main.go", "", 0},
    {"text/template", "text/template.init.ializers", "", "/usr/lib/go/bin/go", PF_FRAME_NATIVE},
    {"app", "x_cgo_notify_runtime_init_done", "", "/srv/app", PF_FRAME_NATIVE},

    /* Perl */
    {"A::B", "A::B::c", "", "", 0},
    {"main", "main::CORE:print", "", "", PF_FRAME_XSUB},
    {"Time::HiRes", "Time::HiRes::usleep", "", "", PF_FRAME_XSUB},
    {"Carp", "Carp::__ANON__[(eval 3)[/usr/share/perl/Carp::x.pm:170]:1]", "Carp.pm", "", 0},
    {"main", "main::BEGIN@1.1", "a.pl", "", PF_FRAME_SUB},
    {"Odd;Pkg,x", "Odd;Pkg,x::f", "a.pl", "", PF_FRAME_SUB},
    {"Tie::Hash", "Tie::Hash::operator", "Hash.pm", "", 0},
    {"Ünï::Päck", "Ünï::Päck::größe", "", "", 0},
    {"", "(main)", "a.pl", "", PF_FRAME_MAIN},
    {"", "(eval)", "(eval 6)", "", PF_FRAME_EVAL},

    /* C++: without template arguments, types of results, parameters */
    {"std::map", "std::map<a::b, c>::at(x::y)", "", "", 0},
    {"std", "void std::sort<int*>(int*, int*)", "", "", 0},
    {"app::Table", "app::Table<std::string, std::pair<int, char> >::operator[]", "work.cc",
     "/srv/work", 0},
    {"std::ostream", "std::ostream::operator<<(int)", "", "", 0},
    {"std", "std::operator<< <std::char_traits<char> >(std::ostream&, char const*)", "", "", 0},
    {"(anonymous namespace)", "(anonymous namespace)::f", "", "", 0},
    {"geo::(anonymous namespace)", "void geo::(anonymous namespace)::total<int>(int)", "", "", 0},
    {"geo::Box", "non-virtual thunk to geo::Box::area()", "", "", 0},
    {"app", "app::run(int)::{lambda()#1}::operator()() const", "", "", 0},
    {"", "main::{lambda(int)#1}::operator()(int) const", "", "", 0},
    {"", "main::$_0::operator()(int) const", "", "", 0},
    {"std::vector", "std::vector<a::f(int)->b::c>::size", "", "", 0},
    {"geo", "geo::total.part.0", "geo.cc", "", 0},

    /* Rust: the same, without hash and closures; of a trait's method the path of the type */
    {"std::fs::File", "std::fs::File::sync_all::hcd4d0768a77cbc2e", "", "", 0},
    {"tokio::runtime::task::core::Core",
     "tokio::runtime::task::core::Core<T,S>::poll::ha1b200ead37ecb81", "", "", 0},
    {"app::Conn", "app::Conn::do_work::{{closure}}::h50e10780011359fc", "", "", 0},
    {"app::Conn", "app::Conn::do_work::{closure#0}::{closure#1}", "", "", 0},
    {"core::ops::function::FnOnce",
     "core::ops::function::FnOnce::call_once{{vtable.shim}}::hbfa4fc2e086997af", "", "", 0},
    {"alloc::vec::Vec", "<alloc::vec::Vec<T> as alloc::vec::SpecExtend<T, I>>::from_iter", "", "",
     0},
    {"core::fmt::Display", "<&T as core::fmt::Display>::fmt", "", "", 0},
    {"core::fmt::Display", "<u32 as core::fmt::Display>::fmt", "src/num.rs", "", 0},
    {"app::Cart", "<impl core::fmt::Display for app::Cart>::fmt", "", "", 0},
    {"core::array", "core::array::<impl core::default::Default for [T; 32]>::default", "", "", 0},
    {"Display", "<T as Display>::fmt", "", "", 0},
    {"rayon_core::job::HeapJob",
     "_$LT$rayon_core..job..HeapJob$LT$BODY$GT$$u20$as$u20$rayon_core..job..Job$GT$::execute"
     "::h60b9d586fc4f8a0f (.llvm.8052073739315931670)",
     "", "", 0},
    {"app::Down", "app::Down::run::_$u7b$$u7b$closure$u7d$$u7d$::h7a3087a6f836e6c7", "", "", 0},

    /* Ruby, PHP */
    {"JSON::Ext::Generator::State", "JSON::Ext::Generator::State#generate", "<cfunc>", "", 0},
    {"Table", "Table#add", "/srv/work.rb", "", 0},
    {"Table", "block (2 levels) in Table.make", "/srv/work.rb", "", 0},
    {"Module", "Module#===", "<cfunc>", "", 0},
    {"A::B", "A::B.c", "", "", 0},
    {"A::B", "A::B#c", "", "", 0},
    {"", "block in <main>", "/srv/work.rb", "", 0},
    {"", "<top (required)>", "/srv/work.rb", "", 0},
    {"App", "App\\Table->add", "/srv/work.php", "", 0},
    {"App", "App\\Table::make", "/srv/work.php", "", 0},
    {"App\\Db", "App\\Db\\query", "", "", 0},
    {"App", "App\\{closure:/srv/work.php:6-6}", "/srv/work.php", "", 0},
    {"php", "php::strlen", "php:internal", "", 0},
    {"", "require::/srv/inc.php", "/srv/inc.php", "", 0},
    {"", "eval", "/srv/work.php(8) : eval()'d code", "", 0},

    /* C has no packages: the image; not suffixes of compilers and linkers */
    {"libc.so.6", "malloc", "", "/usr/lib/x86_64-linux-gnu/libc.so.6", PF_FRAME_NATIVE},
    {"work", "main", "work.c", "/srv/work", 0},
    {"work", "", "", "/srv/work (deleted)", 0},
    {"", "main", "work.c", "", 0},
    {"", "f.part.0", "", "", 0},
    {"", "f.part.0'2", "", "", 0},
    {"", "f.isra.0.constprop.3", "", "", 0},
    {"", "f.llvm.1234567", "", "", 0},
    {"", "memcpy@GLIBC_2.2.5", "", "", 0},
    {"", "__libc_start_main@@GLIBC_2.34", "", "", 0},
    {"", "f(int, ...)", "", "", 0},
    {"", "f(char const*) [clone .cold]", "", "", 0},
    {"", "counter.1234", "", "", 0},
    {"", "_GLOBAL__sub_I_main.cc", "", "", 0},
    {"libc.so.6", "[libc.so.6]", "", "", 0},
    {"libc.so.6", "libc.so.6`malloc", "", "", 0},
    {"libjvm.so", "[libjvm.so]", "", "/usr/lib/jvm/lib/libjvm.so", PF_FRAME_NATIVE},
    {"JavaThread", "JavaThread::run()", "", "libjvm.dylib", 0},
    /* no image of its own: code made at run time, memory */
    {"", "Interpreter", "", "/tmp/perf-7.map", PF_FRAME_JIT},
    {"", "f", "", "/tmp/jitted-7-1.so", PF_FRAME_JIT},
    {"", "f", "", "//anon", 0},
    {"", "0x4838000", "???", "???", 0},
    /* the kernel and its modules */
    {"[kernel]", "do_syscall_64", "", "[kernel.kallsyms]", PF_FRAME_KERNEL},
    {"[kernel]", "do_idle", "", "/usr/lib/debug/boot/vmlinux-5.4.14", PF_FRAME_KERNEL},
    {"[kernel]", "vfs_read", "", "", PF_FRAME_KERNEL},
    {"[mlx5_core]", "mlx5e_poll_rx_cq", "", "/lib/modules/5.4/kernel/mlx5_core.ko",
     PF_FRAME_KERNEL},
    {"[mlx5_core]", "mlx5e_poll_rx_cq", "", "[mlx5_core]", PF_FRAME_KERNEL},
    {"zfs", "zil_commit", "", "zfs", 0},

    /* other languages with dots; texts that are not names */
    {"Data.Map", "Data.Map.insert", "", "", 0},
    {"Elixir.Shop.Cart", "Elixir.Shop.Cart.add/2", "", "", 0},
    {"Table", "block in rescue in Table#add", "work.rb", "", 0},
    {"System.Foo", "[System.Private.CoreLib] System.Foo::Bar(int32)", "", "", 0},
    {"", "Useless use of a constant (\"3\") in void context at x/slowops.pl line", "", "", 0},
    {"", "GET /api/v1.users", "", "", 0},
    {"", "3.11", "", "", 0},
    {"", "[unknown]", "", "", 0},
    {"", "plain", "", "", 0},
    {"", "", "", "", 0},
};

static uint32_t text(struct pf_dict *dict, const char *bytes)
{
    return pf_dict_intern_text(dict, pf_bytes_of(bytes));
}

int main(void)
{
    struct pf_dict dict;

    pf_dict_init(&dict);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pf_image image = {.name = text(&dict, cases[i].image)};
        struct pf_function function = {.name = text(&dict, cases[i].name),
                                       .file = text(&dict, cases[i].file)};
        struct pf_location place = {.image = image.name ? pf_dict_add_image(&dict, &image) : 0,
                                    .kind = (uint16_t)cases[i].kind};
        struct pf_bytes package = pf_dict_string(&dict, pf_package_of(&dict, &place, &function));
        char sentence[256];

        snprintf(sentence, sizeof sentence, "the package of %s, file '%s', image '%s'",
                 cases[i].name, cases[i].file, cases[i].image);
        tap_text(package.data, cases[i].package, sentence);
    }
    pf_dict_free(&dict);
    return tap_done();
}
