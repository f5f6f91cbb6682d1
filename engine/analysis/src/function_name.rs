//! Names of C++ functions, shortened to what tells them apart: the function, and which classes it was made for.
//!
//! A demangled kernel is called by its return type, its namespaces, all of its template arguments and all of its parameters,
//! which may be pages; that it adds and does not multiply stands somewhere in their middle.

use std::borrow::Cow;

/// Longer names are left as they are: nobody reads them.
const LONGEST: usize = 1 << 16;
/// So deep do template arguments nest, at most.
const DEEPEST: usize = 32;
/// Classes that hold arguments and say nothing of what is done with them.
const HOLDERS: &[&str] = &["Array", "array", "tuple", "pair", "integral_constant"];
/// Words that a type may begin or end with.
const QUALIFIERS: &[&str] = &[
    "const", "unsigned", "signed", "struct", "class", "enum", "volatile",
];

/// A name as it is shown where there is little room; one that is no function of C++ as it is.
pub fn function_name(name: &str) -> Cow<'_, str> {
    let short = if is_function(name) { short(name) } else { None };
    short
        .filter(|short| short.len() < name.len())
        .map_or(Cow::Borrowed(name), Cow::Owned)
}

/// Whether a name is written as C++ writes functions, with a namespace, a return type or parameters.
fn is_function(name: &str) -> bool {
    if name.len() > LONGEST || !name.is_ascii() {
        return false;
    }
    let has_template = name.contains("::") && name.contains(['<', '(']);
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let head = name.bytes().take_while(|byte| is_word(*byte)).count();
    let has_parameters =
        head > 0 && name.as_bytes().get(head) == Some(&b'(') && name.ends_with(')');
    has_template || has_parameters || name.starts_with("void ")
}

fn short(name: &str) -> Option<String> {
    let parts = split(name.trim(), " ")?;
    // Words after the parameters are qualifiers, those before the function its return type.
    let function = parts.iter().rev().find(|part| {
        let part = part.trim();
        // A namespace without a name begins with a bracket as well.
        let is_path = split(part, "::").is_some_and(|path| path.len() > 1);
        !QUALIFIERS.contains(&part) && (is_path || !part.starts_with(['[', '(']))
    })?;
    let (own, arguments) = subject(function)?;
    let told = told(arguments, 0);
    Some(if told.is_empty() {
        own.to_owned()
    } else {
        format!("{own}<{}>", told.join(", "))
    })
}

/// Splits a text at a separator that stands in no brackets; nothing where brackets do not match.
fn split<'a>(text: &'a str, separator: &str) -> Option<Vec<&'a str>> {
    let (mut parts, mut open, mut from, mut at) = (Vec::new(), 0_usize, 0, 0);
    let mut before = '\0';
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        if open == 0 && rest.starts_with(separator) {
            parts.push(text.get(from..at)?);
            at += separator.len();
            from = at;
            before = '\0';
            continue;
        }
        let letter = rest.chars().next()?;
        match letter {
            '<' | '(' | '{' | '[' => open += 1,
            // The arrow of a member or of a return type.
            '>' if before == '-' => {}
            '>' | ')' | '}' | ']' => open = open.checked_sub(1)?,
            _ => {}
        }
        before = letter;
        at += letter.len_utf8();
    }
    parts.push(text.get(from..)?);
    (open == 0).then_some(parts)
}

/// The last name of a path that says something, and its template arguments: of `a::b<c>::{lambda(int)#1}`, and of
/// `a::b<c>::[lambda(int) (instance 1)]`, it is `b` with `c`.
fn subject(path: &str) -> Option<(&str, &str)> {
    let parts = split(path, "::")?;
    let mut named = parts.iter().rev().filter_map(|part| {
        let part = part.trim();
        let end = part.find(['<', '(', '{', '[']).unwrap_or(part.len());
        let own = part.get(..end)?.trim_end_matches(['&', '*', ' ']);
        let says = !own.is_empty() && own != "operator";
        let rest = part.get(end..)?;
        let arguments = rest.strip_prefix('<').and_then(|rest| {
            let close = closing(rest)?;
            rest.get(..close)
        });
        says.then_some((own, arguments.unwrap_or_default()))
    });
    named.next()
}

/// Where the bracket closes that was open before a text begins.
pub(super) fn closing(text: &str) -> Option<usize> {
    let mut open = 1_usize;
    let mut before = b'\0';
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'<' | b'(' | b'{' | b'[' => open += 1,
            b'>' if before == b'-' => {}
            b'>' | b')' | b'}' | b']' => open -= 1,
            _ => {}
        }
        if open == 0 {
            return Some(at);
        }
        before = byte;
    }
    None
}

/// What template arguments tell, each once: of the function itself its types, of a class its classes, or where there are none
/// its plain types; and values where there is nothing else.
fn told(arguments: &str, depth: usize) -> Vec<String> {
    let all = split(arguments, ",").filter(|_| depth < DEEPEST);
    let (mut types, mut values) = (Vec::<(bool, String)>::new(), Vec::new());
    for argument in all.unwrap_or_default() {
        let argument = argument.trim();
        let mut bare = argument;
        for word in QUALIFIERS {
            bare = bare.strip_prefix(word).unwrap_or(bare).trim();
            bare = bare.strip_suffix(word).unwrap_or(bare).trim();
        }
        if bare.starts_with(|letter: char| letter.is_ascii_digit() || "-('".contains(letter)) {
            values.push(bare.to_owned());
            continue;
        }
        let Some((own, inner)) = subject(bare) else {
            continue;
        };
        if own == "true" || own == "false" || HOLDERS.contains(&own) {
            continue;
        }
        let is_class = !inner.is_empty() || argument.contains("::");
        let inner = told(inner, depth + 1);
        let text = if inner.is_empty() {
            own.to_owned()
        } else {
            format!("{own}<{}>", inner.join(", "))
        };
        if types.iter().all(|(_, found)| *found != text) {
            types.push((is_class, text));
        }
    }
    if types.is_empty() {
        return values;
    }
    let has_class = types.iter().any(|(is_class, _)| *is_class);
    let tells = |is_class: bool| depth == 0 || is_class || !has_class;
    let types = types.into_iter().filter(|(is_class, _)| tells(*is_class));
    types.map(|(_, text)| text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_are_called_by_their_function_and_what_it_was_made_for() {
        let cases = [
            (
                "void at::native::vectorized_elementwise_kernel<4, at::native::BinaryFunctor<float, float, float, \
                 at::native::binary_internal::MulFunctor<float> >, at::detail::Array<char*, 3> >(int, \
                 at::native::BinaryFunctor<float, float, float, at::native::binary_internal::MulFunctor<float> >, \
                 at::detail::Array<char*, 3>)",
                "vectorized_elementwise_kernel<BinaryFunctor<MulFunctor<float>>>",
            ),
            (
                "void at::native::reduce_kernel<128, 4, at::native::ReduceOp<float, at::native::func_wrapper_t<float, \
                 at::native::sum_functor<float, float, float>::operator()(at::TensorIterator&)::{lambda(float, float)#1}>, \
                 unsigned int, float, 4> >(at::native::ReduceOp<float>)",
                "reduce_kernel<ReduceOp<func_wrapper_t<sum_functor<float>>>>",
            ),
            (
                "void at::native::elementwise_kernel<128, 2, at::native::gpu_kernel_impl<at::native::AddFunctor<float> \
                 >(at::TensorIteratorBase&, at::native::AddFunctor<float> const&)::{lambda(int)#1}>(int, float)",
                "elementwise_kernel<gpu_kernel_impl<AddFunctor<float>>>",
            ),
            (
                "void cutlass::Kernel2<cutlass_80_tensorop_d884gemm_64x64_16x4_nt_align1>(cutlass_80::Params)",
                "Kernel2<cutlass_80_tensorop_d884gemm_64x64_16x4_nt_align1>",
            ),
            (
                "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
                "ncclDevKernel_AllReduce_Sum_f32_RING_LL",
            ),
            (
                "void gemv2T_kernel_val<int, int, float, float, 128, 16, true>(int)",
                "gemv2T_kernel_val<int, float>",
            ),
            (
                "void gemm<Tile<4>, Tile<8>, Tile<4>, double, Tile<4>>(int)",
                "gemm<Tile<4>, Tile<8>, double>",
            ),
            (
                "void at::native::elementwise_kernel<(int)128, (int)4, void at::native::gpu_kernel_impl_nocast<\
                 at::native::direct_copy_kernel_cuda(at::TensorIteratorBase &)::[lambda() (instance 3)]::operator ()() const::\
                 [lambda(float) (instance 1)]>(at::TensorIteratorBase &, const T1 &)::[lambda(int) (instance 1)]>(int, T3)",
                "elementwise_kernel<gpu_kernel_impl_nocast<direct_copy_kernel_cuda>>",
            ),
            ("void ns::scan<256, 4>(int)", "scan<256, 4>"),
            (
                "void (anonymous namespace)::resolve<long>(long*, a::b const*)",
                "resolve<long>",
            ),
            ("void f<int>(int) [clone .constprop.0]", "f<int>"),
            (
                "std::enable_if<true, void>::type ns::f<ns::A>(int) const",
                "f<A>",
            ),
        ];
        for (name, short) in cases {
            assert_eq!(function_name(name), short);
            // A name that is short stays as it is.
            assert_eq!(function_name(short), short);
        }
    }

    #[test]
    fn what_is_no_function_stays_as_it_is() {
        for name in [
            "upload x[0]",
            "aten::add",
            "Memcpy HtoD (Pageable -> Device)",
            "<built-in function isinstance>",
            "torch/_inductor/runtime/triton_heuristics.py(1263): <genexpr>",
            "nn.Module: Linear_0",
            "void at::broken<a, b",
            "void at::broken>(",
            "a::b)(",
            "",
            "ns::größe<float>(int)",
        ] {
            assert_eq!(function_name(name), name);
        }
        let deep = format!(
            "void a::f<{}int{}>(int)",
            "a::T<".repeat(5_000),
            ">".repeat(5_000)
        );
        assert!(function_name(&deep).len() < 300);
    }

    #[test]
    fn no_text_is_too_odd() {
        let pieces = [
            "a", "::", "<", ">", "(", ")", "{", "}", "[", "]", ",", " ", "->", "void ",
        ];
        let mut seed = 7_usize;
        for _ in 0..50_000 {
            let mut name = String::new();
            for _ in 0..seed % 20 {
                seed = seed
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                name.push_str(pieces[(seed >> 33) % pieces.len()]);
            }
            seed = seed.wrapping_add(1);
            assert!(function_name(&name).len() <= name.len());
        }
    }
}
