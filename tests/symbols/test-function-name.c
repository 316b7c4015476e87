/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Names of C++ and Rust functions, as compilers made them, and what nobody's compiler makes. */

#include <string.h>

#include <glib.h>

#include "symbols/jank-function-name-private.h"
#include "test.h"

static const struct { const char *symbol, *name; } names[] = {
  { "main", "main" },
  { "_start", "_start" },
  { "libgtk-4.so.1+0x479550", "libgtk-4.so.1+0x479550" },
  { "_Zfoo", "_Zfoo" },
  { "load_notes.isra.0.constprop.0", "load_notes" },
  { "_Z", "_Z" },
  { "_D3app6Window4loadMFZv", "_D3app6Window4loadMFZv" },
  { "", "" },
  { NULL, "" },

  { "_ZN3foo3barEv", "foo::bar" },
  { "_Z3fooi", "foo" },
  { "_ZN3FooC2ERKS_", "Foo::Foo" },
  { "_ZN12_GLOBAL__N_13barEv", "(anonymous namespace)::bar" },
  { "_ZNSt6vectorIiSaIiEE9push_backEOi", "std::vector<…>::push_back" },
  { "_ZSt4sortIN9__gnu_cxx17__normal_iteratorIPiSt6vectorIiSaIiEEEEEvT_S7_", "std::sort<…>" },
  { "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9_M_appendEPKcm",
    "std::__cxx11::basic_string<…>::_M_append" },
  { "_ZNK3Foo4nameB5cxx11Ev", "Foo::name" },
  { "_ZlsRSoRK3Foo", "operator<<" },
  { "_ZN3FooclEi", "Foo::operator()" },
  { "_ZNK3FoocvbEv", "Foo::operator <…>" },
  { "_Znwm", "operator new" },
  { "_ZThn16_N3Foo4drawEv", "Foo::draw" },
  { "_ZZN3foo3barEvENKUlvE_clEv", "foo::bar::{lambda}::operator()" },
  { "_ZZN3Foo4loadEiPKcENKUliE0_clEi", "Foo::load::{lambda}::operator()" },
  { "_ZN3FooUt_C1Ev", "Foo::{unnamed}::Foo" },
  { "_ZNSt17_Function_handlerIFvvEZN3foo3barEvEUlvE_E9_M_invokeERKSt9_Any_data",
    "std::_Function_handler<…>::_M_invoke" },
  { "_ZN3FooIXadL_Z3bazvEEE3barEv", "Foo<…>::bar" }, /* an expression */
  { "_ZStrsIcSt11char_traitsIcEERSt13basic_istreamIT_T0_ES6_St12_Setiosflags", "std::operator>><…>" },
  { "_ZN3foo3barEv.cold", "foo::bar" },
  { "_ZN3foo3barEv.isra.0", "foo::bar" },
  { "_ZN4sigc8internal10slot_call0INS_18bound_mem_functor0Iv3AppEEvE7call_itEPNS0_8slot_repE",
    "sigc::internal::slot_call0<…>::call_it" },

  { "_ZN4core3fmt5write17h0123456789abcdefE", "core::fmt::write" },
  { "_ZN9std_stuff3run28_$u7b$$u7b$closure$u7d$$u7d$17h0123456789abcdefE.llvm.1234", "std_stuff::run::{{closure}}" },

  { "_ZN51_$LT$gtk4..Window$u20$as$u20$core..clone..Clone$GT$5clone17h0123456789abcdefE",
    "<gtk4::Window as core::clone::Clone>::clone" },

  /* Of rustc's own libraries. */
  { "_RNvNtCsjrHSEGnQ3l9_3std2rt19lang_start_internal", "std::rt::lang_start_internal" },
  { "_RNCNCNCNvNtCsjrHSEGnQ3l9_3std2rt19lang_start_internal00s_0B9_",
    "std::rt::lang_start_internal::{{closure}}::{{closure}}::{{closure}}" },
  { "_RINvNtCsgEmfK2I1SDS_4core3ptr13drop_in_placeINtNtNtNtCsjrHSEGnQ3l9_3std4sync9nonpoison6rwlock15RwLockReadGuard"
    "NtNtBP_9panicking4HookEEBP_", "core::ptr::drop_in_place" },
  { "_RNvMs0_NtCs1234_5alloc3vecINtB5_3VecjE4pushCs56_5stall", "<alloc::vec::Vec>::push" },
  { "_RNvXs1H_NtCsgEmfK2I1SDS_4core3fmtTRNtNtNtCsdadwybgsbvk_12rustc_middle9dep_graph8dep_node7DepNodeENtB6_5Debug"
    "3fmtCshb4CxotJIr4_15rustc_interface",
    "<(&rustc_middle::dep_graph::dep_node::DepNode,) as core::fmt::Debug>::fmt" },
  { "_RNvXNtCsgEmfK2I1SDS_4core3anyFG0_QL1_INtNtCsairCCGeQF1y_12rustc_expand4base7ExtCtxtL0_ENtNtCsjyvvofjlheH_"
    "10rustc_span13span_encoding4SpanNtNtCs61nHkvlE5qF_9rustc_ast11tokenstream11TokenStreamEINtBC_12ExpandResultINtNt"
    "CslNYArtu3iFV_5alloc5boxed3BoxDNtBC_9MacResultEL1_EuENtB2_3Any7type_idCselooBRvAVY_18rustc_ast_lowering",
    "<for<'a, 'b> fn(&'a mut rustc_expand::base::ExtCtxt<'b>, rustc_span::span_encoding::Span, rustc_ast:"
    ":tokenstream::TokenStream) -> rustc_expand::base::ExpandResult as core::any::Any>::type_id" },
  { "_RNvYDNtCs1_5shelf5Shapep4UnitfEL_NtB5_4Draw4draw", "<dyn shelf::Shape as shelf::Draw>::draw" },
  { "_RNvXCs1_5shelfAShj4_NtB2_4Draw4draw.cold", "<[[u8]; 4] as shelf::Draw>::draw" },
  { "_RNSNvNtCs1_5shelf2ui4draw6vtable", "shelf::ui::draw::{{shim}}" },
  /* Each part stands for the one before, twice: 2 to the 12th parts. */
  { "_RNvXC3fooTTuuETB08_B08_ETB0c_B0c_ETB0m_B0m_ETB0w_B0w_ETB0G_B0G_ETB0Q_B0Q_ETB10_B10_ETB1a_B1a_ETB1k_"
    "B1k_ETB1u_B1u_ETB1E_B1E_ETB1O_B1O_EEC3bar3baz",
    "_RNvXC3fooTTuuETB08_B08_ETB0c_B0c_ETB0m_B0m_ETB0w_B0w_ETB0G_B0G_ETB0Q_B0Q_ETB10_B10_ETB1a_B1a_ETB1k_"
    "B1k_ETB1u_B1u_ETB1E_B1E_ETB1O_B1O_EEC3bar3baz" },
  { "_Run", "_Run" },

  { "_ZN3foo", "_ZN3foo" },
  { "_ZN99999999999999999999999999fooEv", "_ZN99999999999999999999999999fooEv" },
};

TEST (names)
{
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *name = jank_function_name (names[i].symbol);

      g_assert_cmpstr (name, ==, names[i].name);
    }
}

static gsize
measure (const char *head, const char *piece, guint n, const char *tail)
{
  g_autoptr (GString) symbol = g_string_new (head);
  g_autofree char *name = NULL;

  for (guint i = 0; i < n; i++)
    g_string_append (symbol, piece);
  g_string_append (symbol, tail);
  name = jank_function_name (symbol->str);
  return strlen (name);
}

/* Short symbols that spell out long names, deep ones, and long ones: at once, and cut. */
TEST (hostile)
{
  static const char *const pieces[] = {
    "N", "I", "S_", "Z", "3foo", "P", "F", "L", "J", "T_", "C1", "UlvE_", "St", "M", "A_", "C1aF", "1aIiE", "RT_", "DF",
    "Nv", "C3foo", "TB2_B2_E", "R", "A", "FE", "DE", "YT", "s_",
  };
  const gsize most = JANK_FUNCTION_NAME_MAX_SHOWN + strlen ("…");

  for (guint i = 0; i < G_N_ELEMENTS (pieces); i++)
    for (guint n = 1; n < 200000; n *= 3)
      {
        g_assert_cmpuint (measure ("_ZN3fooI", pieces[i], n, "EE3barEv"), <=, most);
        g_assert_cmpuint (measure ("_RNvXC3fooT", pieces[i], n, "EC3bar3baz"), <=, most);
      }
}

TESTS ("/symbols/function-name")
